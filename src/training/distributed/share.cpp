#include "training/distributed/share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <utility>

namespace cmanp::training {
namespace {

// Draws for all tasks of a batch and gives those of some.
class ShareSource : public RandomSource {
 public:
  ShareSource(const Share& share, torch::Generator generator) : share_(share), all_(std::move(generator)) {}

  torch::Tensor normal(torch::IntArrayRef shape, const torch::Tensor& like) override {
    std::vector<std::int64_t> whole = shape.vec();
    whole.at(1) = share_.whole;
    return mine(all_.normal(whole, like));
  }
  torch::Tensor resample(std::int64_t samples, std::int64_t /*tasks*/, std::int64_t points) override {
    return mine(all_.resample(samples, share_.whole, points));
  }
  torch::Tensor permutation(std::int64_t n) override { return all_.permutation(n); }
  torch::Tensor uniform(std::int64_t n) override { return all_.uniform(n); }

 private:
  torch::Tensor mine(const torch::Tensor& drawn) const { return drawn.narrow(1, share_.first, share_.count); }

  Share share_;
  GeneratorSource all_;
};

}  // namespace

Batch Share::of(const Batch& batch) const {
  const auto cut = [this](const torch::Tensor& points) {
    return points.defined() ? points.narrow(0, first, count) : points;
  };
  return {cut(batch.xc),
          cut(batch.yc),
          cut(batch.xt),
          cut(batch.yt),
          cut(batch.yc_without_noise),
          {cut(batch.truth.mean), cut(batch.truth.variance), cut(batch.truth.covariance)}};
}

std::shared_ptr<RandomSource> Share::random(torch::Generator generator) const {
  return std::make_shared<ShareSource>(*this, std::move(generator));
}

Share share_of(std::int64_t tasks, int rank, int size) {
  if (tasks < size) {
    throw Error(fmt::format("batch {} is less than one task for each of {} processes; start fewer", tasks, size));
  }
  const std::int64_t least = tasks / size, larger = tasks % size;  // so many have one more
  return {rank * least + std::min<std::int64_t>(rank, larger), least + (rank < larger ? 1 : 0), tasks};
}

}  // namespace cmanp::training
