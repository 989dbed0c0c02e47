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
  std::size_t gap = 0;   // and how many more there are to be when it is next; 0: as many
};

// A context's: none, one, or, where the model works in frames, points in the data's units that wait for one.
struct Framing {
  std::optional<Normalisation> frame;
  std::vector<double> waiting_x, waiting_y;
  bool found = false;  // the frame, from the data; else it was given
  Recent recent;
  Range range;  // that was asked for, in the data's units; empty: the model's own, in the frame's
};

// One column of so many, row-major.
std::vector<double> column(std::span<const double> values, std::size_t c, std::size_t width);

// A range of the data's units in the frame's, and back; of none, none.
Range into_frame(const Range& range, const Normalisation& frame);
Range out_of_frame(const Range& range, const Normalisation& frame);

// Throws Error where it has not a finite shift and a positive scale for each column of the model.
void check_frame(const Normalisation& frame, const Config& config);

// From the data to what the network sees, but for seasons: first the frame, then the model's own units.
Normalisation through_frame(const Normalisation& frame, const Normalisation& model);

// Column by column, by base::frame_of's statistics; of a great many points, by some of them. With the seasons that are
// found, where they are wanted and there is one x; then the rest of y is what the frame is of.
// `levels` has the scale of y widened for those that the signal held (base/held_level.hpp).
Normalisation find_frame(const base::FrameSample& sample, const Config& config, bool seasons, bool levels);
Normalisation find_frame(std::span<const double> x, std::span<const double> y, const Config& config, bool seasons,
                         bool levels);  // row-major

// But for what rounding does to the ends that a frame is told by, and for widths, which say nothing of where points
// lie.
bool same_frame(const std::optional<Normalisation>& one, const std::optional<Normalisation>& other);

// "--x-frame 0:3600 --y-frame 20:25", which make this frame again but for its seasons.
std::string frame_flags(const Normalisation& frame);

// Rows of points in the frame's units, and back. y are at these x of the data's units.
std::vector<double> x_into_frame(std::span<const double> x, const Normalisation& frame);
std::vector<double> y_into_frame(std::span<const double> x, std::span<const double> y, const Normalisation& frame);
// Means or draws: any number of them for every x, one after the other.
void y_out_of_frame(std::span<const double> x, std::span<double> y, const Normalisation& frame);
void deviations_out_of_frame(std::span<double> deviations, const Normalisation& frame);
// A lower Cholesky factor of so many numbers, whose channels follow each other.
void factor_out_of_frame(std::span<double> scale_tril, std::size_t numbers, const Normalisation& frame);
// By what seasons and the check of widths say, in the frame's units.
void widen(std::span<double> deviations, const Normalisation& frame);
void widen_factor(std::span<double> scale_tril, std::size_t numbers, const Normalisation& frame);

// Throws Error, with the flags that would make them one, where two contexts or states ("contexts") have frames that
// differ.
void check_same_frame(const std::optional<Normalisation>& one, const std::optional<Normalisation>& other,
                      const std::string& what);

// Units that any finite number fits.
Normalisation boundless(const Config& config);

}  // namespace cmanp::runtime
