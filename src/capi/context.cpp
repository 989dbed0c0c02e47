// Contexts of the C API, and what they answer.
#include <cmanp/predictor.hpp>

#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/memory.hpp"
#include "capi/options.hpp"

using namespace cmanp::capi;

extern "C" {

cmanp_status cmanp_context_create(const cmanp_model* model, size_t threads, size_t block, cmanp_context** context) {
  const cmanp_context_options options = options_of(threads, block);
  return cmanp_context_create_with(model, &options, context);
}

cmanp_status cmanp_context_create_with(const cmanp_model* model, const cmanp_context_options* options,
                                       cmanp_context** context) {
  return make_handle(context, "context",
                     [&] { return cmanp::Context(given(model, "model").model, context_options(options)); });
}

cmanp_status cmanp_context_copy(const cmanp_context* context, cmanp_context** copy) {
  return make_handle(copy, "copy", [&] { return given(context, "context").context; });
}

void cmanp_context_free(cmanp_context* context) { delete context; }

cmanp_status cmanp_context_observe(cmanp_context* context, const double* x, size_t x_count, const double* y,
                                   size_t y_count) {
  return guarded(
      [&] { given(context, "context").context.observe(numbers(x, x_count, "x"), numbers(y, y_count, "y")); });
}

cmanp_status cmanp_context_observe_whole(cmanp_context* context, const double* x, size_t x_count, const double* y,
                                         size_t y_count) {
  return guarded(
      [&] { given(context, "context").context.observe_whole(numbers(x, x_count, "x"), numbers(y, y_count, "y")); });
}

cmanp_status cmanp_context_merge(cmanp_context* context, const cmanp_context* other) {
  return guarded([&] { given(context, "context").context.merge(given(other, "other").context); });
}

cmanp_status cmanp_context_reset(cmanp_context* context) {
  return guarded([&] { given(context, "context").context.reset(); });
}

cmanp_status cmanp_context_size(const cmanp_context* context, uint64_t* points) {
  return guarded([&] { given(points, "points") = given(context, "context").context.size(); });
}

cmanp_status cmanp_context_memory(const cmanp_context* context, cmanp_memory* memory) {
  return guarded([&] { given(memory, "memory") = memory_of(given(context, "context").context.memory()); });
}

cmanp_status cmanp_context_frame(const cmanp_context* context, int* found, double* x_frame, size_t x_frame_count,
                                 double* y_frame, size_t y_frame_count) {
  return guarded([&] {
    const auto& frame = given(context, "context").context.frame();
    given(found, "found") = frame.has_value() ? 1 : 0;
    if (!frame) return;
    write_frame(*frame, numbers(x_frame, x_frame_count, "x_frame"), numbers(y_frame, y_frame_count, "y_frame"));
  });
}

cmanp_status cmanp_context_range(const cmanp_context* context, int* found, double* range, size_t range_count) {
  return guarded([&] {
    const cmanp::Range there = given(context, "context").context.range();
    given(found, "found") = there.empty() ? 0 : 1;
    if (!there.empty()) write_pairs(there, numbers(range, range_count, "range"), "range");
  });
}

cmanp_status cmanp_context_save(const cmanp_context* context, const char* path) {
  return guarded([&] { given(context, "context").context.save(&given(path, "path")); });
}

cmanp_status cmanp_context_load(const cmanp_model* model, const char* path, size_t threads, size_t block,
                                cmanp_context** context) {
  const cmanp_context_options options = options_of(threads, block);
  return cmanp_context_load_with(model, path, &options, context);
}

cmanp_status cmanp_context_load_with(const cmanp_model* model, const char* path, const cmanp_context_options* options,
                                     cmanp_context** context) {
  return make_handle(context, "context", [&] {
    return cmanp::Context::load(given(model, "model").model, &given(path, "path"), context_options(options));
  });
}

cmanp_status cmanp_context_to_bytes(const cmanp_context* context, cmanp_bytes** bytes) {
  return make_handle(bytes, "bytes", [&] { return given(context, "context").context.to_bytes(); });
}

cmanp_status cmanp_context_from_bytes(const cmanp_model* model, const void* bytes, size_t count,
                                      const cmanp_context_options* options, cmanp_context** context) {
  return make_handle(context, "context", [&] {
    return cmanp::Context::from_bytes(given(model, "model").model, byte_span(bytes, count), context_options(options));
  });
}

cmanp_status cmanp_context_predict(cmanp_context* context, const double* x, size_t x_count, double* mean,
                                   size_t mean_count, double* std, size_t std_count) {
  return guarded([&] {
    given(context, "context")
        .context.predict(numbers(x, x_count, "x"), numbers(mean, mean_count, "mean"), numbers(std, std_count, "std"));
  });
}

cmanp_status cmanp_context_predict_joint(cmanp_context* context, const double* x, size_t x_count, double* mean,
                                         size_t mean_count, double* scale_tril, size_t scale_tril_count) {
  return guarded([&] {
    given(context, "context")
        .context.predict_joint(numbers(x, x_count, "x"), numbers(mean, mean_count, "mean"),
                               numbers(scale_tril, scale_tril_count, "scale_tril"));
  });
}

cmanp_status cmanp_context_sample(const cmanp_context* context, const double* x, size_t x_count, size_t draws,
                                  size_t block, uint64_t seed, double* out, size_t out_count) {
  const cmanp_sample_options options{sizeof(options), draws, block, seed, 0};
  return cmanp_context_sample_with(context, x, x_count, &options, out, out_count);
}

cmanp_status cmanp_context_sample_with(const cmanp_context* context, const double* x, size_t x_count,
                                       const cmanp_sample_options* options, double* out, size_t out_count) {
  return guarded([&] {
    cmanp::sample(given(context, "context").context, numbers(x, x_count, "x"), numbers(out, out_count, "out"),
                  sample_options(options));
  });
}

cmanp_status cmanp_context_score(const cmanp_context* context, const double* x, size_t x_count, const double* y,
                                 size_t y_count, size_t block, double* log_likelihood) {
  return guarded([&] {
    given(log_likelihood, "log_likelihood");
    *log_likelihood =
        cmanp::score(given(context, "context").context, numbers(x, x_count, "x"), numbers(y, y_count, "y"), block)
            .log_likelihood;
  });
}
}
