// A trained model beside what anybody would try first.
#pragma once

#include <string>
#include <vector>

#include "events/metrics.hpp"
#include "training/events/event_run.hpp"

namespace cmanp::training::events {

struct Rival {
  std::string name;
  cmanp::events::EventMetrics metrics;
};

// Counted in the training part, judged on `part`: a constant rate, and renewal processes.
std::vector<Rival> simple_rivals(const EventParts& parts, const std::vector<Sequence>& part, const Window& window);

// Sentences: whether the model is ahead of the best of them by more than chance, and what it knows of marks.
std::vector<std::string> verdict(const std::string& model, const cmanp::events::EventMetrics& metrics, bool marked,
                                 const std::vector<Rival>& rivals);

}  // namespace cmanp::training::events
