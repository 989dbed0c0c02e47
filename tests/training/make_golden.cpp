// Makes the small golden fixtures that the repository ships, tests/golden/data/<model>-small: the plain form of every
// model in float64, which the tests hold against the large fixtures of the public implementation and its formulas.
//
//   make_golden FOLDER      (by hand, where a model's definition changes; it should not)
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/config_json.hpp"
#include "training/fixtures.hpp"
#include "training/fused/switch.hpp"
#include "training/models/cmanp_trunk.hpp"
#include "training/models/diagonal_model.hpp"
#include "training/state.hpp"

namespace cmanp::testing {
namespace {

using nlohmann::ordered_json;
using torch::Tensor;

constexpr std::int64_t kTasks = 2, kContext = 9, kTargets = 7, kSteps = 10;

// Widths of whole panels, so that training's fused kernels run on them, and several of everything.
training::ModelConfig small_config() {
  training::ModelConfig config = tiny_config(2, 2);
  config.d_model = 16;
  config.dim_feedforward = 16;
  config.num_latents = 6;
  config.num_latents_per_layer = 5;
  config.prj_dim = 5;
  return config;
}

ordered_json to_json(const Tensor& tensor) {
  if (tensor.dim() == 0) return tensor.item<double>();
  ordered_json list = ordered_json::array();
  for (std::int64_t i = 0; i < tensor.size(0); ++i) list.push_back(to_json(tensor[i]));
  return list;
}

ordered_json to_json(const training::Batch& batch) {
  return {{"context_x", to_json(batch.xc)},
          {"context_y", to_json(batch.yc)},
          {"target_x", to_json(batch.xt)},
          {"target_y", to_json(batch.yt)}};
}

// Float32, as a file of weights has them: at their usual size the context hardly shows in an untrained model's answers.
void enlarge_and_round(training::NeuralProcess& model) {
  const torch::NoGradGuard no_grad;
  for (const auto& item : model.named_parameters()) {
    Tensor parameter = item.value();
    if (parameter.dim() == 2 && item.key().find("latents") == std::string::npos) parameter.mul_(1.7);
  }
  model.to(torch::kFloat32);
  model.to(torch::kFloat64);
}

void write_weights(const std::filesystem::path& path, const training::NeuralProcess& model) {
  const std::map<std::string, Tensor> tensors = training::to_tensors(model);
  files::TensorViews views;
  for (const auto& [name, tensor] : tensors) {
    std::vector<std::size_t> shape(tensor.sizes().begin(), tensor.sizes().end());
    views.emplace(name, files::view_of(std::span(tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())),
                                       std::move(shape)));
  }
  ordered_json config = training::to_json(model.model_name(), model.config());
  for (const char* of_training : {"distinct_layers", "train_block_size"}) config.erase(of_training);
  files::write_safetensors(path,
                           {{"format", runtime::reference_format},
                            {"model", model.model_name()},
                            {"task", "small"},
                            {"config", config.dump()}},
                           views);
}

void add_states(ordered_json& numbers, training::NeuralProcess& model, const training::Batch& batch) {
  auto& trunk = dynamic_cast<training::CmanpTrunk&>(dynamic_cast<training::DiagonalModel&>(model).trunk());
  auto state = trunk.empty_state();
  trunk.observe(state, batch.xc, batch.yc, 0);
  for (const training::AttentionState& block : state) {
    numbers["state_log_normaliser"].push_back(to_json(log_normaliser(block).squeeze(-1)));
    numbers["state_output_before_projection"].push_back(to_json(block.weighted / block.sum));
  }
}

void add_answers(ordered_json& numbers, training::NeuralProcess& model, const training::Batch& batch) {
  const torch::NoGradGuard no_grad;
  const auto score = [&] { return model.log_likelihood(batch).item<double>(); };
  if (model.model_name() == "cmanpand") {
    for (const std::int64_t block : {1, 2, 5, 7}) {
      model.settings().AND_block_size = block;
      numbers["tar_ll"][std::to_string(block)] = score();
    }
    const training::Prediction first = model.predict(batch.xc, batch.yc, batch.xt.narrow(1, 0, 5));
    numbers["first_block_mean"] = to_json(first.mean.flatten(1));
    numbers["first_block_scale_tril"] = to_json(first.scale_tril);
    return;
  }
  numbers["tar_ll"] = score();
  if (model.scores_jointly()) return;
  const training::Prediction prediction = model.predict(batch.xc, batch.yc, batch.xt);
  numbers["mean"] = to_json(prediction.mean);
  numbers["std"] = to_json(prediction.std);
  if (model.model_name() == "cmanp") add_states(numbers, model, batch);
}

// Ten batches and the loss before each step of Adam, from the weights in the file.
ordered_json train(training::NeuralProcess& model) {
  torch::optim::Adam adam(model.parameters(), torch::optim::AdamOptions(5e-4).betas({0.9, 0.999}).eps(1e-8));
  model.train();
  ordered_json steps = ordered_json::array();
  for (std::int64_t step = 0; step < kSteps; ++step) {
    const training::Batch batch = random_batch(model.config(), kTasks, kContext, kTargets, 100 + step);
    adam.zero_grad();
    const Tensor loss = model.loss(batch);
    loss.backward();
    adam.step();
    steps.push_back(to_json(batch));
    steps.back()["loss"] = loss.item<double>();
  }
  return steps;
}

void make(const std::filesystem::path& folder, const std::string& name) {
  const training::fused::Off plain_only;
  const auto model = training::make_model(name, small_config(), 7);
  model->to(torch::kFloat64);
  enlarge_and_round(*model);
  model->use(formula_randomness());
  model->eval();
  const std::string stem = (folder / (name + "-small")).string();
  write_weights(stem + ".safetensors", *model);
  const training::Batch batch = random_batch(model->config(), kTasks, kContext, kTargets, 1);
  ordered_json numbers{{"model", name}, {"task", "small"}};
  numbers.update(to_json(batch));
  add_answers(numbers, *model, batch);
  if (name == "cmanp" || name == "cmanpand" || name == "lbanp") numbers["training"] = train(*model);
  std::ofstream(stem + ".json") << numbers.dump() << '\n';
}

}  // namespace
}  // namespace cmanp::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_golden FOLDER\n");
    return 2;
  }
  for (const std::string& name : cmanp::training::model_names()) cmanp::testing::make(argv[1], name);
}
