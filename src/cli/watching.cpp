#include "cli/watching.hpp"

#include <cmanp/error.hpp>
#include <utility>

#include "cli/messages.hpp"
#include "files/safetensors.hpp"

namespace cmanp::cli {

CLI::Option* add_strict(CLI::App* verb, bool& strict) {
  return verb->add_flag("--strict", strict, "Fail where the model does not know what it is given, instead of warning");
}

Watching::Watching(const std::string& model, const Normalisation& units, bool strict)
    : watch_(model, measures::knowledge_of(files::Safetensors::open(model)), units), strict_(strict) {}

streams::Observe Watching::over(streams::Observe observe) {
  return [this, observe = std::move(observe)](std::span<const double> x, std::span<const double> y) {
    if (strict_) {
      const std::string wrong = watch_.objection(x, y);
      if (!wrong.empty()) throw Error(wrong);
    }
    observe(x, y);
    watch_.see(x, y);
  };
}

void Watching::finish() const {
  for (const std::string& wrong : watch_.warnings()) {
    if (strict_) throw Error(wrong);
    warn(wrong);
  }
}

void Watching::look(std::span<const double> x, std::span<const double> y) {
  const std::string wrong = said_ && !strict_ ? std::string() : watch_.objection(x, y);
  if (!wrong.empty() && strict_) throw Error(wrong);
  if (!wrong.empty()) warn(wrong);
  said_ = said_ || !wrong.empty();
  if (judged_noise_ || y.empty()) return;
  constexpr std::size_t kEnough = 256;  // points to judge noise by
  watch_.see(x, y);
  points_ += x.size();
  if (points_ < kEnough) return;
  judged_noise_ = true;
  if (!said_) finish();
}

}  // namespace cmanp::cli
