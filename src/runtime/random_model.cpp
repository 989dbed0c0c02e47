#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <string_view>

#include "base/random.hpp"
#include "runtime/head_bands.hpp"
#include "runtime/model_data.hpp"

namespace cmanp::runtime {
namespace {

// The last part but one of a name tells a layer norm: norm, norm_context, norm1, norm2.
bool is_norm(std::string_view name) {
  const std::size_t last = name.rfind('.');
  if (last == std::string_view::npos) return false;
  const std::string_view module = name.substr(0, last);
  return module.substr(module.rfind('.') + 1).starts_with("norm");
}

// The number of inputs of the linear layer that a weight or bias belongs to.
double fan_in(const std::string& name, const std::map<std::string, std::vector<std::size_t>>& shapes) {
  constexpr std::string_view bias = "bias";
  if (!name.ends_with(bias)) return static_cast<double>(shapes.at(name)[1]);
  return static_cast<double>(shapes.at(name.substr(0, name.size() - bias.size()) + "weight")[1]);
}

// Of relative coordinates: values of parameters that are of no linear layer; empty for another.
std::vector<float> start_of_places(const std::string& name, const std::vector<std::size_t>& shape, const Config& config,
                                   base::Random& random) {
  const auto is = [&](const char* end) { return name.ends_with(end); };
  if (!is(".log_gamma") && !is(".log_omega") && !is(".direction") && !is(".null_score") && !is(".null_value"))
    return {};
  std::vector<float> values;
  const std::size_t per_head = std::accumulate(shape.begin() + 1, shape.end(), std::size_t{1}, std::multiplies<>());
  for (std::size_t h = 0; h < shape[0]; ++h) {
    const HeadBand band = head_band(h, shape[0], config.spacing);
    for (std::size_t i = 0; i < per_head; ++i) {
      const double share = per_head == 1 ? 0 : static_cast<double>(i) / static_cast<double>(per_head - 1);
      double value = random.normal() / std::sqrt(static_cast<double>(config.dim_x));  // a direction
      if (is(".log_gamma")) value = -2 * band.length - std::numbers::ln2;
      if (is(".log_omega")) value = band.slowest + share * (band.fastest - band.slowest);
      if (is(".null_score")) value = kStartNullScore;
      if (is(".null_value")) value = kStartNullValue * random.normal();
      values.push_back(static_cast<float>(value));
    }
  }
  return values;
}

}  // namespace

// Unlike the public implementation, whose stacked layers start as copies of one, every layer here is drawn by itself.
ModelData random_model(const Config& config, std::uint64_t seed) {
  validate(config);
  const auto shapes = expected_tensors(config);
  base::Random random(seed);
  const auto within = [&random](double bound) { return bound * (2 * random.uniform() - 1); };
  ModelData data{config, Normalisation::identity(config), R"({"weights": "random"})", {}};
  for (const auto& [name, shape] : shapes) {
    if (std::vector<float> values = start_of_places(name, shape, config, random); !values.empty()) {
      data.tensors.emplace(name, Tensor{shape, std::move(values)});
      continue;
    }
    std::function<double()> draw;
    if (name.ends_with("latents")) {
      draw = [&] { return random.normal(); };
    } else if (is_norm(name)) {
      draw = [one = name.ends_with(".weight")] { return one ? 1.0 : 0.0; };
    } else if (name.ends_with("in_proj_weight")) {  // Xavier over the packed shape
      draw = [&, bound = std::sqrt(6.0 / static_cast<double>(shape[0] + shape[1]))] { return within(bound); };
    } else if (name.ends_with("in_proj_bias") || name.ends_with("out_proj.bias")) {
      draw = [] { return 0.0; };
    } else {
      draw = [&, bound = 1 / std::sqrt(fan_in(name, shapes))] { return within(bound); };
    }
    const std::size_t elements =
        std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<std::size_t>());
    Tensor tensor{shape, std::vector<float>(elements)};
    for (float& value : tensor.values) value = static_cast<float>(draw());
    data.tensors.emplace(name, std::move(tensor));
  }
  return data;
}

}  // namespace cmanp::runtime
