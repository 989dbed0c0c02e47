// Where latents lie in relative coordinates: a regular grid over a box of x. Places are told from the grid's origin,
// which is taken off in double before anything becomes float: a function far from zero is the same function.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace cmanp::training {

// The range of every x.
struct Box {
  std::vector<double> low, high;
};

class Grid {
 public:
  // One point beyond each end of the box and as many between as the spacing asks for, centred.
  static Grid over(const Box& box, double spacing);

  // As training draws it: up to three points beyond each end, starting anywhere. `shares` are two numbers in [0, 1) for
  // every x, in double.
  static Grid drawn(const Box& box, double spacing, const torch::Tensor& shares);

  std::int64_t size() const;  // points
  std::int64_t count(std::size_t axis) const { return counts_[axis]; }
  double origin(std::size_t axis) const { return origin_[axis]; }

  // The grid's own places [1, size, axes], and those of x [B, n, dim_x] in any type, of which the first
  // are places; of type and device of `like`.
  torch::Tensor places(const torch::Tensor& like) const;
  torch::Tensor places_of(const torch::Tensor& x, const torch::Tensor& like) const;

 private:
  double spacing_ = 1;
  std::vector<double> origin_;
  std::vector<std::int64_t> counts_;
};

}  // namespace cmanp::training
