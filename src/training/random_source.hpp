// Where models take their random numbers from: a generator that they are given, so that runs can be repeated.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace cmanp::training {

class RandomSource {
 public:
  virtual ~RandomSource() = default;

  // Standard normal, of the type and on the device of `like`: [samples, tasks, …].
  virtual torch::Tensor normal(torch::IntArrayRef shape, const torch::Tensor& like) = 0;
  // Bootstrap indices, uniform in [0, points): [samples, tasks, points].
  virtual torch::Tensor resample(std::int64_t samples, std::int64_t tasks, std::int64_t points) = 0;
  // A random order of 0 … n - 1.
  virtual torch::Tensor permutation(std::int64_t n) = 0;
  // Uniform in [0, 1), in double, the same for all tasks: [count].
  virtual torch::Tensor uniform(std::int64_t count) = 0;
};

class GeneratorSource : public RandomSource {
 public:
  explicit GeneratorSource(torch::Generator generator) : generator_(std::move(generator)) {}

  torch::Tensor normal(torch::IntArrayRef shape, const torch::Tensor& like) override {
    // Drawn on the CPU, so that a seed means the same on every device.
    return torch::randn(shape, generator_, torch::dtype(like.dtype())).to(like.device());
  }
  torch::Tensor resample(std::int64_t samples, std::int64_t tasks, std::int64_t points) override {
    return torch::randint(points, {samples, tasks, points}, generator_, torch::kInt64);
  }
  torch::Tensor permutation(std::int64_t n) override { return torch::randperm(n, generator_, torch::kInt64); }
  torch::Tensor uniform(std::int64_t count) override { return torch::rand({count}, generator_, torch::kFloat64); }

 private:
  torch::Generator generator_;
};

}  // namespace cmanp::training
