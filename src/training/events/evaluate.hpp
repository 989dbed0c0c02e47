// Scores a trained model on sequences.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "events/metrics.hpp"
#include "training/events/event_network.hpp"

namespace cmanp::training::events {

// Answers in the model's float, all that is computed from them in double. `keep_going` is asked after every batch.
cmanp::events::EventMetrics evaluate(
    EventNetwork& network, const std::vector<Sequence>& sequences, const EventDomain& domain, const Window& window,
    const std::function<bool(std::size_t done, std::size_t of)>& keep_going = [](std::size_t, std::size_t) {
      return true;
    });

// Minus the log-likelihood per event, in the data's unit of time, with survival: the same as metrics.nll, sooner.
// None where `should_stop`, which is asked before every batch, says so.
std::optional<double> evaluate_nll(
    EventNetwork& network, const std::vector<Sequence>& sequences, const EventDomain& domain, const Window& window,
    const std::function<bool()>& should_stop = [] { return false; });

}  // namespace cmanp::training::events
