// Where the latents of a context in relative coordinates lie: a regular grid over the range that it was opened with.
// Places are told from the grid's origin, which is taken off in double before anything becomes float: a function far
// from zero is the same function.
#pragma once

#include <cmanp/model.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cmanp::runtime {

// The range that a model was trained on, in raw units.
Range default_range(const Config& config, const Normalisation& normalisation);

// As --range takes it: "-2:2", "0:1,0:1".
std::string to_text(const Range& range);

// Throws Error: the point of this index, counted from 0, has an x outside of the range.
// `framed`: of a context that works in a frame, and may have a window.
[[noreturn]] void refuse_outside(std::size_t index, std::span<const double> x, const Range& range, bool framed);

// Throws Error where two contexts or states ("contexts") lie over ranges that are not one: their latents are elsewhere.
void check_same_range(const Range& one, const Range& other, const std::string& what);

class Grid {
 public:
  // Throws Error where it is no range of this many x, or asks for more latents than there can be.
  static Grid over(const Config& config, const Normalisation& normalisation, const Range& range);

  std::size_t size() const { return size_; }  // latents
  std::size_t axes() const { return counts_.size(); }
  const Range& range() const { return range_; }
  double extent() const { return static_cast<double>(counts_[0]) * spacing_; }  // along the first x, as places are

  // Places [size][axes] of the latents, and of raw x.
  void write_places(float* places) const;
  void write_places(const double* x, std::size_t count, float* places) const;

 private:
  Range range_;
  double spacing_ = 1;
  std::vector<double> shift_, scale_, origin_;  // the first two to the model's units
  std::vector<std::size_t> counts_;
  std::size_t size_ = 1;
};

}  // namespace cmanp::runtime
