// Models of the C API.
#include "capi/guard.hpp"
#include "capi/handles.hpp"

using namespace cmanp::capi;

extern "C" {

cmanp_status cmanp_model_load(const char* path, cmanp_model** model) {
  return guarded([&] {
    given(model, "model") = nullptr;
    *model = new cmanp_model{cmanp::Model::load(&given(path, "path"))};
  });
}

cmanp_status cmanp_model_from_bytes(const void* bytes, size_t count, cmanp_model** model) {
  return guarded([&] {
    given(model, "model") = nullptr;
    const auto view = numbers(static_cast<const std::byte*>(bytes), count, "bytes");
    *model = new cmanp_model{cmanp::Model::from_bytes(view)};
  });
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

cmanp_status cmanp_model_memory(const cmanp_model* model, size_t threads, size_t block, cmanp_memory* memory) {
  return guarded(
      [&] { given(memory, "memory") = memory_of(given(model, "model").model.memory(options_of(threads, block))); });
}
}
