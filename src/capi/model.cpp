// Models of the C API, and bytes.
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/memory.hpp"
#include "capi/options.hpp"

using namespace cmanp::capi;

extern "C" {

const void* cmanp_bytes_data(const cmanp_bytes* bytes) { return bytes == nullptr ? nullptr : bytes->bytes.data(); }
size_t cmanp_bytes_size(const cmanp_bytes* bytes) { return bytes == nullptr ? 0 : bytes->bytes.size(); }
void cmanp_bytes_free(cmanp_bytes* bytes) { delete bytes; }

cmanp_status cmanp_model_load(const char* path, cmanp_model** model) {
  return make_handle(model, "model", [&] { return cmanp::Model::load(&given(path, "path")); });
}

cmanp_status cmanp_model_from_bytes(const void* bytes, size_t count, cmanp_model** model) {
  return make_handle(model, "model", [&] { return cmanp::Model::from_bytes(byte_span(bytes, count)); });
}

void cmanp_model_free(cmanp_model* model) { delete model; }

cmanp_status cmanp_model_dims(const cmanp_model* model, size_t* dim_x, size_t* dim_y) {
  return guarded([&] {
    const cmanp::Config& config = given(model, "model").model.config();
    given(dim_x, "dim_x");
    given(dim_y, "dim_y") = config.dim_y;
    *dim_x = config.dim_x;
  });
}

cmanp_status cmanp_model_parameters(const cmanp_model* model, size_t* parameters) {
  return guarded([&] { given(parameters, "parameters") = given(model, "model").model.parameters(); });
}

cmanp_status cmanp_model_hash(const cmanp_model* model, const char** hash) {
  return guarded([&] { given(hash, "hash") = given(model, "model").model.hash().c_str(); });
}

cmanp_status cmanp_model_find_frame(const cmanp_model* model, const double* x, size_t x_count, const double* y,
                                    size_t y_count, double* x_frame, size_t x_frame_count, double* y_frame,
                                    size_t y_frame_count) {
  return guarded([&] {
    write_frame(
        given(model, "model").model.find_frame(numbers(x, x_count, "x"), numbers(y, y_count, "y"), false, false),
        numbers(x_frame, x_frame_count, "x_frame"), numbers(y_frame, y_frame_count, "y_frame"));
  });
}

cmanp_status cmanp_model_memory(const cmanp_model* model, size_t threads, size_t block, cmanp_memory* memory) {
  return guarded([&] {
    const cmanp_context_options options = options_of(threads, block);
    given(memory, "memory") = memory_of(given(model, "model").model.memory(context_options(&options)));
  });
}
}
