// Counts what a training step asks for, of libtorch and of the heap: with a streamed context no more for 100,000 points
// than for 1,000. And what an evaluation asks for: it grows as `cmanp models` says.
#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "training/fused/switch.hpp"
#include "training/model_kind.hpp"
#include "training/neural_process.hpp"
#include "training/trainer/threads.hpp"
#include "training/trainer/tiny_settings.hpp"
#include "training/trainer/training_step.hpp"

namespace {

std::atomic<std::int64_t> in_use{0}, most{0};

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  const std::int64_t now = in_use += static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::int64_t before = most;
  while (now > before && !most.compare_exchange_weak(before, now)) continue;
  return memory;
}

void* allocate_aligned(std::size_t size, std::size_t unit) {
  return counted(std::aligned_alloc(unit, (size + unit - 1) / unit * unit));
}

void release(void* memory) noexcept {
  if (memory != nullptr) in_use -= static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::free(memory);
}

// All tensors' memory.
struct CountingAllocator : c10::Allocator {
  c10::DataPtr allocate(std::size_t size) const override {
    void* const memory = size == 0 ? nullptr : allocate_aligned(size, 64);
    return {memory, memory, &release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
};

}  // namespace

// Not inlined: the compiler would see a new freed by free, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(std::malloc(size == 0 ? 1 : size)); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_aligned(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }

namespace cmanp::testing {
namespace {

class TrainingMemory : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    static CountingAllocator allocator;
    c10::SetCPUAllocator(&allocator, /*priority=*/1);
    training::use_threads(1);
  }

  // Bytes that a step takes at most, beyond the points and the trainer.
  static std::int64_t of_step(std::int64_t points, std::int64_t chunk) {
    training::TrainingStep step(tiny_settings({{"model", GetParam()},
                                               {"d_model", 16},
                                               {"latent_dim", 16},
                                               {"layer_latent_dim", 16},
                                               {"context_chunk", chunk}}));
    const at::Generator generator = at::detail::createCPUGenerator(5);
    const auto draw = [&](std::int64_t count) { return torch::randn({2, count, 1}, generator, torch::kFloat); };
    const training::Batch batch{draw(points), draw(points), draw(5), draw(5)};
    EXPECT_TRUE(step(batch, 0).finite());  // makes what stays: threads' working space
    const std::int64_t before = in_use;
    most = before;
    EXPECT_TRUE(step(batch, 1).finite());
    return most - before;
  }

  // From 1,000 points to 100,000.
  static std::int64_t growth(std::int64_t chunk) { return of_step(100'000, chunk) - of_step(1'000, chunk); }
};

constexpr std::int64_t kChunk = 500;
// Of 99,000 points more, in both tasks: themselves (x and y), and as tokens.
constexpr std::int64_t kPoints = 99'000 * 2 * 2 * sizeof(float);
constexpr std::int64_t kTokens = 99'000 * 2 * 16 * sizeof(float);

TEST_P(TrainingMemory, OfAStreamedContextDoesNotGrow) {
  EXPECT_LT(growth(kChunk), kPoints / 100);  // blocks of memory are a little larger than asked for
  const training::fused::Off off;
  EXPECT_LT(growth(kChunk), kPoints / 100);
}

TEST_P(TrainingMemory, OfAWholeContextDoes) { EXPECT_GT(growth(0), 2 * kTokens); }

INSTANTIATE_TEST_SUITE_P(Models, TrainingMemory, ::testing::Values("cmanp", "cmanpand"),
                         [](const auto& test) { return test.param; });

class EvaluationMemory : public TrainingMemory {
 protected:
  static training::ModelConfig small_config() {
    return {.dim_hid = 128,
            .dim_lat = 16,
            .eval_num_samples = 2,
            .num_latents = 8,
            .num_latents_per_layer = 8,
            .d_model = 32,
            .dim_feedforward = 32,
            .nhead = 2,
            .num_layers = 2,
            .CMAB_block_size = 100};
  }

  // Bytes that the log-likelihood of targets takes at most, beyond the points and the model.
  static double of_evaluation(std::int64_t points, std::int64_t targets) {
    const auto model = training::make_model(GetParam(), small_config());
    const torch::NoGradGuard no_grad;
    const auto draw = [](std::int64_t count) {
      return torch::randn({1, count, 1}, at::detail::createCPUGenerator(5), torch::kFloat);
    };
    const training::Batch batch{draw(points), draw(points), draw(targets), draw(targets)};
    model->log_likelihood(batch);  // makes what stays
    const std::int64_t before = in_use;
    most = before;
    model->log_likelihood(batch);
    return static_cast<double>(most - before);
  }

  // What growth by four to the given power looks like, beside all that does not grow.
  static void expect_growth(const std::string& told, double ratio) {
    if (told == "1" || told == "-") {
      EXPECT_LT(ratio, 1.3) << told;
    } else if (told.ends_with("^2")) {
      EXPECT_GT(ratio, 8) << told;
    } else {
      EXPECT_GT(ratio, 2) << told;
      EXPECT_LT(ratio, 6) << told;
    }
  }
};

TEST_P(EvaluationMemory, GrowsAsTold) {
  const training::MemoryGrowth& told = training::model_kinds().at(GetParam()).memory;
  constexpr std::int64_t few = 16, some = 500, many = 2000;
  // One pass conditions and queries: in N it grows as the larger of the two.
  expect_growth(told.query_n == "1" ? told.condition_n : told.query_n,
                of_evaluation(many, few) / of_evaluation(some, few));
  expect_growth(told.query_m, of_evaluation(few, many) / of_evaluation(few, some));
}

INSTANTIATE_TEST_SUITE_P(Models, EvaluationMemory, ::testing::ValuesIn(training::model_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cmanp::testing
