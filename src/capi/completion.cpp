// Completed pictures of the C API.
#include <cmanp/completion.hpp>

#include <algorithm>

#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"

using namespace cmanp::capi;

namespace {

// `factors` whole pictures, or planes of them, have so many numbers.
void check_count(std::size_t count, std::size_t factors, std::size_t each, const char* name) {
  if (each == 0 ? count == 0 : count % each == 0 && count / each == factors) return;
  throw cmanp::Error(fmt::format("{} holds {} numbers where {} times {} belong", name, count, factors, each),
                     cmanp::ErrorKind::argument);
}

}  // namespace

extern "C" {

cmanp_status cmanp_complete(const cmanp_model* model, size_t height, size_t width, size_t channels,
                            const uint8_t* pixels, size_t pixel_count, const uint8_t* known, size_t known_count,
                            const cmanp_completion_options* options, uint8_t* mean, size_t mean_count, float* deviation,
                            size_t deviation_count, uint8_t* samples, size_t sample_count) {
  return guarded([&] {
    const cmanp::CompletionOptions chosen = completion_options(options);
    const auto of_model = given(model, "model").model;
    const auto seen = numbers(pixels, pixel_count, "pixels");
    const auto mean_out = numbers(mean, mean_count, "mean");
    const auto deviation_out = numbers(deviation, deviation_count, "deviation");
    const auto samples_out = numbers(samples, sample_count, "samples");
    check_count(mean_count, 1, pixel_count, "mean");
    if (deviation_count > 0) check_count(deviation_count, 1, known_count, "deviation");
    check_count(sample_count, chosen.samples, pixel_count, "samples");
    const cmanp::CompletedPicture done = cmanp::complete(
        of_model, {height, width, channels, {seen.begin(), seen.end()}}, numbers(known, known_count, "known"), chosen);
    std::copy(done.mean.pixels.begin(), done.mean.pixels.end(), mean_out.begin());
    if (deviation_count > 0) std::copy(done.deviation.begin(), done.deviation.end(), deviation_out.begin());
    auto to = samples_out.begin();
    for (const cmanp::Picture& sample : done.samples) to = std::copy(sample.pixels.begin(), sample.pixels.end(), to);
  });
}

}  // extern "C"
