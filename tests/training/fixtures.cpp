#include "training/fixtures.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "golden/golden_folder.hpp"
#include "training/export.hpp"

namespace cmanp::testing {

using torch::Tensor;
using training::Batch;
using training::ModelConfig;

namespace {

Tensor indices(std::int64_t n) { return torch::arange(n, torch::kFloat64); }

// Indices along one axis of three, to be combined by broadcasting.
Tensor along(std::int64_t axis, std::int64_t n) {
  std::vector<std::int64_t> shape{1, 1, 1};
  shape[static_cast<std::size_t>(axis)] = n;
  return indices(n).view(shape);
}

bool is_norm(const std::string& name) {
  const std::string module = name.substr(0, name.rfind('.'));
  const std::string last = module.substr(module.rfind('.') + 1);
  return last.starts_with("norm") || last.starts_with("ln");
}

Tensor formula(const std::string& name, torch::IntArrayRef shape) {
  const Tensor i = indices(shape[0]);
  if (is_norm(name)) return name.ends_with("weight") ? 1 + 0.1 * i.sin() : 0.1 * i.cos();
  if (shape.size() == 1) return 0.1 * (i + 1).sin();
  const Tensor row = i.unsqueeze(1), column = indices(shape[1]).unsqueeze(0);
  if (name.ends_with("latents")) return (0.3 * row + 0.5 * column + 0.01 * row * column).sin();
  return (0.7 * row + 1.3 * column + 0.1 * row * column).sin() / std::sqrt(static_cast<double>(shape[1]));
}

class FormulaRandomness : public training::RandomSource {
 public:
  Tensor normal(torch::IntArrayRef shape, const Tensor& like) override { return torch::zeros(shape, like.options()); }
  Tensor resample(std::int64_t samples, std::int64_t tasks, std::int64_t points) override {
    return (3 * along(2, points) + along(0, samples) + 2 * along(1, tasks)).to(torch::kInt64).remainder(points);
  }
  Tensor permutation(std::int64_t n) override { return torch::arange(n); }
  Tensor uniform(std::int64_t n) override { return torch::full({n}, 0.5, torch::kFloat64); }
};

std::vector<double> flatten(const nlohmann::json& numbers, std::vector<std::int64_t>& shape, std::size_t depth = 0) {
  if (numbers.is_number()) return {numbers.get<double>()};
  if (shape.size() == depth) shape.push_back(static_cast<std::int64_t>(numbers.size()));
  std::vector<double> all;
  for (const auto& part : numbers) {
    const auto values = flatten(part, shape, depth + 1);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace

std::vector<std::string> models_but(const std::vector<std::string>& left_out) {
  std::vector<std::string> rest = training::model_names();
  std::erase_if(rest, [&](const std::string& name) {
    return std::find(left_out.begin(), left_out.end(), name) != left_out.end();
  });
  return rest;
}

void set_formula_weights(torch::nn::Module& model) {
  const torch::NoGradGuard no_grad;
  model.to(torch::kFloat64);
  for (const auto& item : model.named_parameters()) {
    Tensor(item.value()).copy_(formula(item.key(), item.value().sizes()));
  }
}

Batch formula_batch(const ModelConfig& config) {
  constexpr std::int64_t context = 7, targets = 5, all = context + targets;
  const Tensor b = along(0, 2), n = along(1, all);
  const Tensor x = 2 * (1.1 * n + 2.3 * b + 0.7 * along(2, config.dim_x) + 0.5).sin();
  const Tensor y = (0.9 * n + 1.7 * b + 0.6 * along(2, config.dim_y)).cos();
  return {x.narrow(1, 0, context), y.narrow(1, 0, context), x.narrow(1, context, targets),
          y.narrow(1, context, targets)};
}

std::shared_ptr<training::RandomSource> formula_randomness() { return std::make_shared<FormulaRandomness>(); }

Batch random_batch(const ModelConfig& config, std::int64_t tasks_count, std::int64_t context, std::int64_t targets,
                   std::uint64_t seed, torch::Dtype type) {
  const torch::Generator generator = at::detail::createCPUGenerator(seed);
  const auto draw = [&](std::int64_t points, std::int64_t width) {
    return torch::randn({tasks_count, points, width}, generator, torch::kFloat64).to(type);
  };
  return {draw(context, config.dim_x), draw(context, config.dim_y), draw(targets, config.dim_x),
          draw(targets, config.dim_y)};
}

ModelConfig tiny_config(std::int64_t dim_x, std::int64_t dim_y) {
  ModelConfig config;
  config.dim_x = dim_x;
  config.dim_y = dim_y;
  config.dim_hid = 8;
  config.dim_lat = 3;
  config.train_num_samples = 3;
  config.eval_num_samples = 4;
  config.d_model = 8;
  config.emb_depth = 2;
  config.dim_feedforward = 6;
  config.nhead = 2;
  config.num_layers = 2;
  config.num_latents = 4;
  config.num_latents_per_layer = 3;
  config.num_std_layers = 1;
  config.prj_dim = 12;
  config.prj_depth = 2;
  config.diag_depth = 2;
  config.distinct_layers = true;
  return config;
}

Tensor tensor_from(const nlohmann::json& numbers, torch::Dtype type) {
  std::vector<std::int64_t> shape;
  const std::vector<double> values = flatten(numbers, shape);
  return torch::tensor(values, torch::kFloat64).view(shape).to(type);
}

Batch batch_from(const nlohmann::json& numbers, torch::Dtype type) {
  return {tensor_from(numbers["context_x"], type), tensor_from(numbers["context_y"], type),
          tensor_from(numbers["target_x"], type), tensor_from(numbers["target_y"], type)};
}

Golden load_golden(const std::string& model, const std::string& task, torch::Dtype type) {
  const std::filesystem::path base = golden_folder(task) / (model + "-" + task);
  Golden golden;
  golden.numbers = nlohmann::json::parse(std::ifstream(base.string() + ".json"));
  golden.model = training::open_model(base.string() + ".safetensors").model;
  golden.model->to(type);
  golden.batch = batch_from(golden.numbers, type);
  return golden;
}

}  // namespace cmanp::testing
