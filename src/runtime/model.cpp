#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmanp/model.hpp>

#include "files/safetensors.hpp"
#include "runtime/access.hpp"
#include "runtime/check_points.hpp"
#include "runtime/check_widths.hpp"
#include "runtime/config_json.hpp"
#include "runtime/framing.hpp"
#include "runtime/layout.hpp"
#include "runtime/model_data.hpp"
#include "runtime/rolling.hpp"
#include "runtime/tensor_names.hpp"
#include "runtime/weights.hpp"

namespace cmanp {
namespace {

Model model_from(const files::Safetensors& file) {
  const auto format = file.metadata().find("format");
  if (format != file.metadata().end() && format->second == runtime::reference_format) {
    throw Error(
        fmt::format("{}: a state dict of the public implementation; `cmanp import` makes a model of it", file.name()));
  }
  const Config config = runtime::parse_config(file);
  const Normalisation normalisation = runtime::parse_normalisation(file, config);
  // Files in relative coordinates once held a diagonal head besides the joint one, which nothing reads.
  const bool two_heads = config.relative() && !config.diagonal();
  runtime::check_tensors(file.tensors(), config, file.name(), two_heads ? "predictor." : "");
  return runtime::Access::model(std::make_shared<const runtime::Weights>(
      runtime::build_weights(config, normalisation, file.tensors(), file.name())));
}

}  // namespace

Model Model::load(const std::filesystem::path& path) {
  const files::Safetensors file = files::Safetensors::open(path);
  Model model = model_from(file);
  file.check_unchanged();
  return model;
}

Model Model::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  return model_from(files::Safetensors::parse(bytes, name));
}

Model::Model(std::shared_ptr<const runtime::Weights> weights) : weights_(std::move(weights)) {}

const Config& Model::config() const { return weights_->config; }
const Normalisation& Model::normalisation() const { return weights_->normalisation; }
const std::string& Model::hash() const { return weights_->hash; }
std::size_t Model::parameters() const { return weights_->parameters; }

Normalisation Model::find_frame(std::span<const double> x, std::span<const double> y, bool seasons, bool widths) const {
  runtime::count_points(runtime::boundless(config()), x, y);
  return runtime::find_checked_frame(*this, x, y, {seasons, widths, widths});
}

Memory Model::memory(const ContextOptions& options) const {
  Memory memory = runtime::Layout(*weights_, options).memory();
  memory.weights = weights_->bytes();
  memory.state += runtime::window_bytes(options, weights_->config);
  return memory;
}

}  // namespace cmanp
