#include "kernels/peak.hpp"

#include <numeric>
#include <vector>

#include "base/seconds.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/peak.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Independent chains, enough to fill the pipelines of two units with a latency of four or five cycles.
constexpr std::size_t kChains = 12;

// Returns the multiply-adds done; `sink` keeps the compiler from leaving them out.
double multiply_adds_target(std::size_t rounds, float* sink) {
  const hn::ScalableTag<float> d;
  hn::Vec<decltype(d)> acc[kChains];
  for (std::size_t c = 0; c < kChains; ++c) acc[c] = hn::Set(d, static_cast<float>(c) + *sink);
  const auto factor = hn::Set(d, 0.999f);
  const auto summand = hn::Set(d, 0.001f);
  for (std::size_t i = 0; i < rounds; ++i) {
    for (std::size_t c = 0; c < kChains; ++c) acc[c] = hn::MulAdd(acc[c], factor, summand);
  }
  for (std::size_t c = 1; c < kChains; ++c) acc[0] = hn::Add(acc[0], acc[c]);
  *sink = hn::GetLane(hn::SumOfLanes(d, acc[0]));
  return static_cast<double>(rounds) * static_cast<double>(kChains * hn::Lanes(d));
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(multiply_adds_target);

double Peak::gflops() {
  constexpr std::size_t kRounds = 3'000'000;
  std::vector<double> done(workers_.size());
  const auto work = [&done](std::size_t t) {
    float sink = static_cast<float>(t);
    done[t] = HWY_DYNAMIC_DISPATCH(multiply_adds_target)(kRounds, &sink);
    if (sink == 0.0f) done[t] = 0;  // never, but the compiler cannot know
  };
  const double start = base::seconds_on_the_wall();
  workers_.run(work);
  const double seconds = base::seconds_on_the_wall() - start;
  return 2e-9 * std::accumulate(done.begin(), done.end(), 0.0) / seconds;
}

}  // namespace cmanp::kernels
#endif
