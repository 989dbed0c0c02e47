// Between tensors and kernels: memory, threads and packed weights that live as long as an autograd node.
#pragma once

#include <torch/custom_class.h>
#include <torch/torch.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/buffer.hpp"
#include "kernels/cursor.hpp"
#include "kernels/layer_norm.hpp"
#include "kernels/panel.hpp"
#include "training/fused/crew.hpp"

namespace cmanp::training::fused {

inline std::size_t extent(const torch::Tensor& tensor, std::int64_t dim) {
  return static_cast<std::size_t>(tensor.size(dim));
}

// Where the rows of one task lie in a tensor [B, rows, width].
inline float* task_rows(const torch::Tensor& tensor, std::size_t task) {
  return tensor.data_ptr<float>() + task * extent(tensor, 1) * extent(tensor, 2);
}

inline kernels::Norm pack_norm(const torch::Tensor& gamma, const torch::Tensor& beta) {
  return kernels::Norm::pack(gamma.data_ptr<float>(), beta.data_ptr<float>(), extent(gamma, 0));
}

// This thread's working space, kept from call to call.
inline float* scratch(std::size_t floats) {
  static thread_local kernels::Buffer<float> space;
  if (space.size() < floats) space = kernels::Buffer<float>(floats);
  return space.data();
}

// This thread's working space in pieces: `carve` takes them from a cursor, and is called once before to count.
template <class Carve>
auto carved(const Carve& carve) {
  kernels::Cursor counter;
  carve(counter);
  kernels::Cursor cursor(scratch(counter.used()));
  return carve(cursor);
}

// Whether forward keeps what it projects rows to, so that backward need not compute it anew: where there is a backward,
// and for latents, targets and short contexts of a batch that is not large. Memory then grows by a few megabytes a
// sub-layer at most; with long contexts it would grow by several times their own.
inline bool keeps_projections(std::int64_t tasks, std::int64_t rows) {
  constexpr std::int64_t kMostOfTask = 256, kMost = 4096;
  return torch::GradMode::is_enabled() && rows <= kMostOfTask && tasks * rows <= kMost;
}

// Something of C++ that forward leaves for backward.
template <class T>
struct Kept : torch::CustomClassHolder {
  explicit Kept(T v) : value(std::move(v)) {}
  T value;
};

template <class T>
void keep(torch::autograd::AutogradContext* context, const char* name, T value) {
  context->saved_data[name] = c10::IValue::make_capsule(c10::make_intrusive<Kept<T>>(std::move(value)));
}

template <class T>
const T& kept(torch::autograd::AutogradContext* context, const char* name) {
  return static_cast<const Kept<T>&>(*context->saved_data[name].toCapsule()).value;
}

inline void add_rows(const float* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
}

// Splits `count` pieces of work into one stretch a thread: work(thread, begin, end). The stretches depend on the number
// of threads alone, so that sums over them, added up in the threads' order, are the same from run to run.
inline std::size_t stretches(std::size_t count) {
  return std::max<std::size_t>(1, std::min(count, Crew::of_process().threads()));
}

// Stretches of rows are made of so many at once: few, so that no thread has more than another.
constexpr std::size_t kStretchRows = kernels::kPanel;

template <class Work>
void in_stretches(std::size_t count, const Work& work) {
  const std::size_t threads = stretches(count);
  Crew::of_process().run(threads, [&](std::size_t t) { work(t, count * t / threads, count * (t + 1) / threads); });
}

// What every thread sums up, made by the thread itself as it starts: all at once, and each in its own cache.
template <class Sum>
class ThreadSums {
 public:
  explicit ThreadSums(std::size_t threads) : sums_(threads) {}

  template <class... Arguments>
  Sum& start(std::size_t thread, const Arguments&... arguments) {
    return sums_[thread].emplace(arguments...);
  }

  std::size_t size() const { return sums_.size(); }
  Sum& operator[](std::size_t thread) { return *sums_[thread]; }
  const Sum& operator[](std::size_t thread) const { return *sums_[thread]; }

 private:
  std::vector<std::optional<Sum>> sums_;
};

// Stretches of a buffer without the padding between them: `count` of `size` floats, one every `stride`.
struct Blocks {
  std::size_t count, size, stride;
};

// The sum of one buffer of every thread's gradient, its blocks one behind the other, times `factor`. By hand: there are
// a dozen of these to a node, and a tensor's operation takes as long to be called as to add a few thousand numbers.
template <class Gradient, class Part>
void sum_blocks(const ThreadSums<Gradient>& gradients, const Part& part, const Blocks& blocks, float* to,
                float factor = 1.0f) {
  for (std::size_t t = 0; t < gradients.size(); ++t) {
    const float* from = part(gradients[t]).data();
    for (std::size_t b = 0; b < blocks.count; ++b) {
      const float* block = from + b * blocks.stride;
      float* sum = to + b * blocks.size;
      if (t == 0) {
        for (std::size_t i = 0; i < blocks.size; ++i) sum[i] = factor * block[i];
      } else {
        for (std::size_t i = 0; i < blocks.size; ++i) sum[i] += factor * block[i];
      }
    }
  }
}

// All of the buffer, as a tensor of so many elements.
template <class Gradient, class Part>
torch::Tensor sum_of(const ThreadSums<Gradient>& gradients, const Part& part) {
  const std::size_t size = part(gradients[0]).size();
  torch::Tensor sum = torch::empty({static_cast<std::int64_t>(size)});
  sum_blocks(gradients, part, {1, size, size}, sum.data_ptr<float>());
  return sum;
}

}  // namespace cmanp::training::fused
