#include "runtime/learner.hpp"

#include "runtime/access.hpp"
#include "runtime/rolling.hpp"

namespace cmanp::runtime {

const std::optional<Normalisation>& Learner::frame() const {
  static const std::optional<Normalisation> none;
  return none;
}

bool ContextLearner::moves_on() const {
  const ContextEngine& engine = Access::engine(context_);
  const Framing& framing = engine.framing();
  return rolls(engine) && framing.range.empty() && (framing.found || waits(engine));
}

std::vector<base::Unusual>& ContextLearner::unusual() { return Access::engine(context_).unusual(); }

std::future<Score> ContextLearner::start_score(std::vector<double> x, std::vector<double> y) const {
  const bool has_threads = context_.options().threads > 1;
  return std::async(has_threads ? std::launch::async : std::launch::deferred,
                    [own = Context(context_, {.threads = 1, .block = context_.options().block}), x = std::move(x),
                     y = std::move(y)] { return score(own, x, y); });
}

}  // namespace cmanp::runtime
