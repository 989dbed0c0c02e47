// Contexts of the C API, and what they answer.
#include <cmanp/predictor.hpp>

#include "capi/guard.hpp"
#include "capi/handles.hpp"

using namespace cmanp::capi;

namespace {

const cmanp::Config& config_of(const cmanp_context& handle) { return handle.context.model().config(); }

std::size_t targets_of(const cmanp_context& handle, std::size_t x_count) {
  return points_of(x_count, config_of(handle).dim_x, "x");
}

// As many y as x.
void expect_pairs(const cmanp_context& handle, std::size_t x_count, std::size_t y_count) {
  const std::size_t points = targets_of(handle, x_count);
  const std::size_t given_points = points_of(y_count, config_of(handle).dim_y, "y");
  if (given_points != points) {
    throw BadArgument(fmt::format("x holds {} points and y holds {}", points, given_points));
  }
}

}  // namespace

extern "C" {

cmanp_status cmanp_context_create(const cmanp_model* model, size_t threads, size_t block, cmanp_context** context) {
  return guarded([&] {
    given(context, "context") = nullptr;
    *context = new cmanp_context{cmanp::Context(given(model, "model").model, options_of(threads, block))};
  });
}

cmanp_status cmanp_context_copy(const cmanp_context* context, cmanp_context** copy) {
  return guarded([&] {
    given(copy, "copy") = nullptr;
    *copy = new cmanp_context(given(context, "context"));
  });
}

void cmanp_context_free(cmanp_context* context) { delete context; }

cmanp_status cmanp_context_observe(cmanp_context* context, const double* x, size_t x_count, const double* y,
                                   size_t y_count) {
  return guarded([&] {
    expect_pairs(given(context, "context"), x_count, y_count);
    context->context.observe(numbers(x, x_count, "x"), numbers(y, y_count, "y"));
  });
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

cmanp_status cmanp_context_save(const cmanp_context* context, const char* path) {
  return guarded([&] { given(context, "context").context.save(&given(path, "path")); });
}

cmanp_status cmanp_context_load(const cmanp_model* model, const char* path, size_t threads, size_t block,
                                cmanp_context** context) {
  return guarded([&] {
    given(context, "context") = nullptr;
    *context = new cmanp_context{
        cmanp::Context::load(given(model, "model").model, &given(path, "path"), options_of(threads, block))};
  });
}

cmanp_status cmanp_context_predict(cmanp_context* context, const double* x, size_t x_count, double* mean,
                                   size_t mean_count, double* std, size_t std_count) {
  return guarded([&] {
    const std::size_t answers = targets_of(given(context, "context"), x_count) * config_of(*context).dim_y;
    expect_count(mean_count, answers, "mean");
    expect_count(std_count, answers, "std");
    context->context.predict(numbers(x, x_count, "x"), numbers(mean, mean_count, "mean"),
                             numbers(std, std_count, "std"));
  });
}

cmanp_status cmanp_context_predict_joint(cmanp_context* context, const double* x, size_t x_count, double* mean,
                                         size_t mean_count, double* scale_tril, size_t scale_tril_count) {
  return guarded([&] {
    const std::size_t targets = targets_of(given(context, "context"), x_count);
    const std::size_t block = context->context.options().block;
    if (targets > block) {
      throw BadArgument(fmt::format("x holds {} targets, and the context predicts {} jointly at most", targets, block));
    }
    const std::size_t answers = targets * config_of(*context).dim_y;
    expect_count(mean_count, answers, "mean");
    expect_count(scale_tril_count, answers * answers, "scale_tril");
    context->context.predict_joint(numbers(x, x_count, "x"), numbers(mean, mean_count, "mean"),
                                   numbers(scale_tril, scale_tril_count, "scale_tril"));
  });
}

cmanp_status cmanp_context_sample(const cmanp_context* context, const double* x, size_t x_count, size_t draws,
                                  size_t block, uint64_t seed, double* out, size_t out_count) {
  return guarded([&] {
    const std::size_t answers = targets_of(given(context, "context"), x_count) * config_of(*context).dim_y;
    // Divides, as draws * answers may be more than a size_t holds.
    if (answers == 0 || draws == 0 ? out_count != 0 : out_count % answers != 0 || out_count / answers != draws) {
      throw BadArgument(fmt::format("out holds {} numbers where {} draws of {} belong", out_count, draws, answers));
    }
    const std::size_t jointly = block == 0 ? context->context.options().block : block;
    cmanp::sample(context->context, numbers(x, x_count, "x"), numbers(out, out_count, "out"), {draws, jointly, seed});
  });
}

cmanp_status cmanp_context_score(const cmanp_context* context, const double* x, size_t x_count, const double* y,
                                 size_t y_count, size_t block, double* log_likelihood) {
  return guarded([&] {
    expect_pairs(given(context, "context"), x_count, y_count);
    given(log_likelihood, "log_likelihood") =
        cmanp::score(context->context, numbers(x, x_count, "x"), numbers(y, y_count, "y"), block).log_likelihood;
  });
}
}
