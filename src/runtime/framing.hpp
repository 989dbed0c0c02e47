// Frames: shift and scale of every column, between the data's own units and those of a model.
#pragma once

#include <cmanp/config.hpp>
#include <cmanp/model.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/frame_sample.hpp"

namespace cmanp::runtime {

// The latest observations of a context that keeps a window of them, in the data's units: all that its state holds.
struct Recent {
  std::vector<double> x, y;
  std::size_t kept = 0;  // of them, when the state was made anew
};

// A context's: none, one, or, where the model works in frames, points in the data's units that wait for one.
struct Framing {
  std::optional<Normalisation> frame;
  std::vector<double> waiting_x, waiting_y;
  bool found = false;  // the frame, from the data; else it was given
  Recent recent;
  Range range;  // that was asked for, in the data's units; empty: the model's own, in the frame's
};

// A range of the data's units in the frame's, and back; of none, none.
Range into_frame(const Range& range, const Normalisation& frame);
Range out_of_frame(const Range& range, const Normalisation& frame);

// Throws Error where it has not a finite shift and a positive scale for each column of the model.
void check_frame(const Normalisation& frame, const Config& config);

// From the data to what the network sees: first the frame, then the model's own units.
Normalisation through_frame(const Normalisation& frame, const Normalisation& model);

// Column by column, by base::frame_of's statistics; of a great many points, by some of them.
Normalisation find_frame(const base::FrameSample& sample, const Config& config);
Normalisation find_frame(std::span<const double> x, std::span<const double> y, const Config& config);  // row-major

// But for what rounding does to the ends that a frame is told by.
bool same_frame(const std::optional<Normalisation>& one, const std::optional<Normalisation>& other);

// "--x-frame 0:3600 --y-frame 20:25", which make this frame again.
std::string frame_flags(const Normalisation& frame);

// Rows of values in the frame's units, and back.
std::vector<double> into_frame(std::span<const double> values, const std::vector<double>& shift,
                               const std::vector<double>& scale);
void out_of_frame(std::span<double> means, const Normalisation& frame);
void deviations_out_of_frame(std::span<double> deviations, const Normalisation& frame);
// A lower Cholesky factor of so many numbers, whose channels follow each other.
void factor_out_of_frame(std::span<double> scale_tril, std::size_t numbers, const Normalisation& frame);

// Throws Error, with the flags that would make them one, where two contexts or states ("contexts") have frames that
// differ.
void check_same_frame(const std::optional<Normalisation>& one, const std::optional<Normalisation>& other,
                      const std::string& what);

// Units that any finite number fits.
Normalisation boundless(const Config& config);

}  // namespace cmanp::runtime
