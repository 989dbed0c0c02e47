// Any bytes are either refused with an Error or give a context of the model that goes on observing and answering.
#include <cmanp/cmanp.hpp>
#include <cstdint>
#include <vector>

#include "memory_file.hpp"
#include "tiny_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace cmanp;
  static const Model model = testing::tiny_model();
  static testing::MemoryFile file;
  file.assign(bytes, size);
  try {
    Context context = Context::load(model, file.path());
    const std::vector<double> x(model.config().dim_x, 0.5), y(model.config().dim_y, -0.5);
    std::vector<double> mean(model.config().dim_y), std(model.config().dim_y);
    context.observe(x, y);
    context.predict(x, mean, std);
  } catch (const Error&) {
  }
  return 0;
}
