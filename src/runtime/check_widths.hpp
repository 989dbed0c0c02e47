// Frames that are found, with a check of the model's deviations on the very data that it is shown: some observations
// are held out, and asked for by the others. One model for all signals cannot know how well it does on this one.
#pragma once

#include <cmanp/model.hpp>
#include <span>

#include "base/frame_sample.hpp"

namespace cmanp::runtime {

struct Finding {
  bool seasons = true, widths = true, levels = true;
};

inline Finding finding(const ContextOptions& options) { return {options.seasons, options.widths, true}; }

// find_frame() of framing.hpp, and the widths. x and y are row-major.
Normalisation find_checked_frame(const Model& model, std::span<const double> x, std::span<const double> y,
                                 Finding finding);
Normalisation find_checked_frame(const Model& model, const base::FrameSample& sample, Finding finding);

}  // namespace cmanp::runtime
