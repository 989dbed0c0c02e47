// Counts what is asked of the heap: nothing while observing and predicting, and by a context just what it told.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "runtime/small_model.hpp"

namespace {
std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> aligned_bytes{0};  // only buffers ask for an alignment
}  // namespace

// Not inlined: the compiler would see a new freed by free, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  aligned_bytes += size;
  const std::size_t unit = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }

namespace cmanp::testing {
namespace {

class AllocationTest : public ::testing::TestWithParam<std::string> {};

TEST_P(AllocationTest, ObserveAndPredictAllocateNothing) {
  const Model model = small_model(GetParam());
  const Points points = points_for(model, 1000);
  const Points one = part(model, points, 0, 1);
  const std::size_t dx = model.config().dim_x, dy = model.config().dim_y;
  std::vector<double> mean(200 * dy), std(200 * dy), joint_mean(5 * dy), factor(25 * dy * dy);
  for (const std::size_t threads : {1u, 3u}) {
    Context context(model, {threads, 5});
    const std::size_t before = allocations;
    context.observe(points.x, points.y);
    context.observe(one.x, one.y);
    context.predict(std::span(points.x).first(200 * dx), mean, std);
    context.predict_joint(std::span(points.x).first(5 * dx), joint_mean, factor);
    context.reset();
    EXPECT_EQ(allocations, before) << threads << " threads";
  }
}

TEST_P(AllocationTest, AContextAllocatesWhatItTold) {
  const Model model = small_model(GetParam());
  for (const ContextOptions& options : {ContextOptions{1, 5}, {2, 5}, {1, 150}}) {
    const std::size_t before = aligned_bytes;
    const Context context(model, options);
    EXPECT_EQ(aligned_bytes - before, context.memory().context());
  }
}

INSTANTIATE_TEST_SUITE_P(Freedoms, AllocationTest,
                         ::testing::Values("base", "fourier_features", "odd", "cholesky", "lowrank_all", "relative",
                                           "relative_cholesky"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace cmanp::testing
