// Rivals that anybody would try first; they are counted, not trained.
#pragma once

#include <cstddef>
#include <vector>

#include "events/metrics.hpp"
#include "events/sequences.hpp"

namespace cmanp::training::events {

enum class Renewal {
  plain,   // gaps as all were in training, a log-normal; the last kind again as often as there, or else any
  markov,  // gaps and kinds as they were in training after an event of the last one's kind
};

// Fitted to one part of the data, judged on another. `marks`: how many kinds there are; 0: they are not told apart.
cmanp::events::EventMetrics evaluate_renewal(Renewal kind, const std::vector<cmanp::events::Sequence>& training,
                                             std::size_t marks, const std::vector<cmanp::events::Sequence>& sequences,
                                             const cmanp::events::Window& window);

}  // namespace cmanp::training::events
