#include "training/events/rivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "training/events/classic.hpp"
#include "training/events/renewal.hpp"

namespace cmanp::training::events {
namespace {

std::string sentence_of_likelihood(const std::string& model, const cmanp::events::EventMetrics& metrics,
                                   const Rival& best) {
  const cmanp::events::Lead lead = lead_of(metrics, best.metrics);
  const double error = lead.error.value_or(0);
  const char* place = std::abs(lead.nats) <= 2 * error ? "level with" : lead.nats > 0 ? "ahead of" : "behind";
  return fmt::format("{} is {} the best simple rival, {}: {:.3f}{} nats an event {}", model, place, best.name,
                     std::abs(lead.nats), lead.error ? fmt::format(" ± {:.3f}", error) : "",
                     lead.nats > 0 ? "better" : "worse");
}

}  // namespace

std::vector<Rival> simple_rivals(const EventParts& parts, const std::vector<Sequence>& part, const Window& window) {
  const std::size_t marks = parts.mark_names.size();
  const HawkesProcess poisson = fit_poisson(parts.train, window);
  std::vector<Rival> rivals{{"poisson", evaluate(poisson, count_marks(parts.train, marks), part, window)},
                            {"renewal", evaluate_renewal(Renewal::plain, parts.train, marks, part, window)}};
  if (marks > 0) rivals.push_back({"markov", evaluate_renewal(Renewal::markov, parts.train, marks, part, window)});
  return rivals;
}

std::vector<std::string> verdict(const std::string& model, const cmanp::events::EventMetrics& metrics, bool marked,
                                 const std::vector<Rival>& rivals) {
  const auto by = [&](const auto& better) {
    return *std::max_element(rivals.begin(), rivals.end(),
                             [&](const Rival& a, const Rival& b) { return better(a.metrics) < better(b.metrics); });
  };
  std::vector<std::string> sentences{
      sentence_of_likelihood(model, metrics, by([](const auto& of) { return -of.nll; }))};
  if (!marked) return sentences;
  const Rival rival = by([](const auto& of) { return of.accuracy; });
  sentences.push_back(
      fmt::format("its likeliest mark is right in {:.1f} % of events; {}'s, the best there, in {:.1f} %",
                  100 * metrics.accuracy, rival.name, 100 * rival.metrics.accuracy));
  return sentences;
}

}  // namespace cmanp::training::events
