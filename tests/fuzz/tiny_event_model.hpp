// The smallest model of events that has all the parts, always the same: the seeds of fuzz_event_files are made of it.
#pragma once

#include <memory>

#include "events/small_event_model.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {

inline events::CmhpConfig tiny_event_config(std::size_t marks) {
  events::CmhpConfig config;
  config.d_model = config.dim_feedforward = config.head_width = 4;
  config.nhead = 2;
  config.num_layers = 1;
  config.num_latents = config.num_latents_per_layer = config.components = 2;
  config.marks = marks;
  config.recent_marks = marks > 0 ? 1 : 0;
  return config;
}

inline std::shared_ptr<const events::EventModel> tiny_event_model() {
  const TemporaryFolder folder;
  write_small_event_model(folder / "model", tiny_event_config(2));
  return events::EventModel::load(folder / "model");
}

}  // namespace cmanp::testing
