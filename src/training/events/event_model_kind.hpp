// What is known of a model of events, in one place: networks that are trained, and classic processes that are fitted.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "training/events/classic.hpp"
#include "training/events/event_network.hpp"
#include "training/registry.hpp"

namespace cmanp::training::events {

struct EventModelKind {
  std::string name;
  std::function<std::shared_ptr<EventNetwork>(const NetworkShape&)> make;
  NetworkShape usual_shape;  // without marks, which the data have
  double usual_prefix_share = 1;
  bool lean = false;  // its state does not grow: the lean half streams it
};

Registry<EventModelKind>& event_model_kinds();

struct ClassicKind {
  std::string name;
  std::function<HawkesProcess(const std::vector<Sequence>& sequences, const Window& window)> fit;
};

Registry<ClassicKind>& classic_kinds();

}  // namespace cmanp::training::events
