// Any bytes are either refused with an Error or give a model that observes and answers.
#include <cmanp/cmanp.hpp>
#include <cstdint>
#include <vector>

#include "files/safetensors.hpp"
#include "runtime/model_data.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace cmanp;
  const auto all = std::as_bytes(std::span(bytes, size));
  try {
    // By themselves as well: a file whose tensors do not fit its configuration gets no further than this.
    const files::Safetensors file = files::Safetensors::parse(all, "fuzz");
    runtime::parse_normalisation(file, runtime::parse_config(file));
  } catch (const Error&) {
  }
  try {
    const Model model = Model::from_bytes(all, "fuzz");
    if (model.memory().total() > (std::size_t{64} << 20)) return 0;  // honest and large: slow, and no news
    Context context(model);
    const std::vector<double> x(model.config().dim_x, 0.5), y(model.config().dim_y, -0.5);
    std::vector<double> mean(model.config().dim_y), std(model.config().dim_y);
    context.observe(x, y);
    context.predict(x, mean, std);
  } catch (const Error&) {
  }
  return 0;
}
