#include "cli_train/open_predictor.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cstdint>
#include <future>
#include <span>
#include <utility>

#include "cli/points.hpp"
#include "cli_train/plain_errors.hpp"
#include "runtime/framing.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

using training::Predictor;

class PredictorLearner : public runtime::Learner {
 public:
  explicit PredictorLearner(Predictor predictor) : predictor_(std::move(predictor)) {}

  const Config& config() const override { return predictor_.config(); }
  void observe(std::span<const double> x, std::span<const double> y) override { predictor_.observe(x, y); }
  void reset() override { predictor_.reset(); }
  std::uint64_t size() const override { return predictor_.size(); }

  void predict(std::span<const double> x, std::span<double> mean, std::span<double> std) override {
    with_plain_errors([&] { predictor_.predict(x, mean, std); });
  }

  void sample(std::span<const double> x, std::span<double> out, const SampleOptions& options) const override {
    with_plain_errors([&] { training::sample(predictor_, x, out, options, {}); });
  }

  // When it is asked for: copies share the network, which two threads must not, and it has threads of its own.
  std::future<Score> start_score(std::vector<double> x, std::vector<double> y) const override {
    return std::async(std::launch::deferred, [own = predictor_, x = std::move(x), y = std::move(y)] {
      return with_plain_errors([&] { return training::score(own, x, y, 0, {}); });
    });
  }

  std::unique_ptr<Learner> copy() const override { return std::make_unique<PredictorLearner>(*this); }

 private:
  Predictor predictor_;
};

}  // namespace

training::LoadedModel open_framed(const std::string& path, const cli::FrameFlags& flags) {
  training::LoadedModel model = training::open_model(path);
  const auto frame = cli::frame_by(flags, training::shape_of(model.model->config()), {});
  if (frame) model.normalisation = runtime::through_frame(*frame, model.normalisation);
  return model;
}

void refuse_state(const std::string& model, const std::string& state, const std::string& instead) {
  if (!state.empty()) throw Error(fmt::format("--state: {} is no model that keeps a state; {}", model, instead));
}

void refuse_range(const std::string& model, const Range& range) {
  if (range.empty()) return;
  throw Error(fmt::format(
      "--range: {} is no model that has one; ranges are for cmanp and cmanpand in relative coordinates", model));
}

Predictor open_predictor(const std::string& path, const cli::FrameFlags& frame, std::size_t threads) {
  training::use_threads(static_cast<std::int64_t>(threads));
  return Predictor(open_framed(path, frame));
}

void observe_all(Predictor& predictor, const std::vector<std::string>& paths, const tables::Reading& reading,
                 cli::Watching& watching) {
  const auto take = [&](std::span<const double> x, std::span<const double> y) { predictor.observe(x, y); };
  cli::observe_files(watching.over(take), predictor.config(), paths, reading);
  cli::note_if_empty(predictor.size());
  watching.finish();
}

std::unique_ptr<runtime::Learner> learner_of(Predictor predictor) {
  return std::make_unique<PredictorLearner>(std::move(predictor));
}

}  // namespace cmanp::cli_train
