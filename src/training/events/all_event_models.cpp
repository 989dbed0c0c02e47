// The models of events: a line each.
#include "training/events/event_model_kind.hpp"
#include "training/events/event_models.hpp"

namespace cmanp::training::events {
namespace {

template <class Network>
std::shared_ptr<EventNetwork> network(const NetworkShape& shape) {
  return std::make_shared<Network>(shape);
}

// They know the order of events, and need no mark before the last one.
NetworkShape ordered_shape(std::int64_t layers) {
  NetworkShape shape;
  shape.d_model = 64;
  shape.nhead = 4;
  shape.previous_mark = false;
  shape.dim_feedforward = 128;
  shape.num_layers = layers;
  return shape;
}

NetworkShape cmhp_shape() {
  NetworkShape shape;
  shape.d_model = 64;
  shape.nhead = 4;
  shape.num_latents = 2;
  shape.num_latents_per_layer = 4;
  return shape;
}

}  // namespace

Registry<EventModelKind>& event_model_kinds() {
  static Registry<EventModelKind> kinds(
      "model of events",
      {
          // Of a share of the prefixes: twice the steps in the same time, each as good.
          {.name = "cmhp", .make = network<Cmhp>, .usual_shape = cmhp_shape(), .usual_prefix_share = 0.4, .lean = true},
          {.name = "thp", .make = network<Thp>, .usual_shape = ordered_shape(2)},
          {.name = "gru", .make = network<GruModel>, .usual_shape = ordered_shape(1)},
      });
  return kinds;
}

Registry<ClassicKind>& classic_kinds() {
  static Registry<ClassicKind> kinds("classic process", {{"poisson", fit_poisson}, {"hawkes", fit_hawkes}});
  return kinds;
}

}  // namespace cmanp::training::events
