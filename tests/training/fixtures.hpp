// What the tests of the training half share: appendix-B weights, data and randomness by formula, small configurations,
// and fixtures of the public implementation where they are there.
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "training/neural_process.hpp"

namespace cmanp::testing {

inline const std::vector<std::string> tasks{"gp", "emnist", "celeba32"};

// All model names but these.
std::vector<std::string> models_but(const std::vector<std::string>& left_out);

// Weights by sines of their indices, float64.
void set_formula_weights(torch::nn::Module& model);

// Two tasks of 7 context points and 5 targets, float64.
training::Batch formula_batch(const training::ModelConfig& config);

// Latents at their mean, bootstrap index (3 n + k + 2 b) mod N.
std::shared_ptr<training::RandomSource> formula_randomness();

// Random tasks, float64 unless told.
training::Batch random_batch(const training::ModelConfig& config, std::int64_t tasks, std::int64_t context,
                             std::int64_t targets, std::uint64_t seed, torch::Dtype type = torch::kFloat64);

// For any model: a few features and layers.
training::ModelConfig tiny_config(std::int64_t dim_x = 1, std::int64_t dim_y = 2);

// Numbers of any depth of nesting.
torch::Tensor tensor_from(const nlohmann::json& numbers, torch::Dtype type = torch::kFloat64);

// The fixture `<model>-<task>`: its numbers, and a model with its weights.
struct Golden {
  nlohmann::json numbers;
  std::shared_ptr<training::NeuralProcess> model;
  training::Batch batch;
};
Golden load_golden(const std::string& model, const std::string& task, torch::Dtype type = torch::kFloat64);

training::Batch batch_from(const nlohmann::json& numbers, torch::Dtype type);

}  // namespace cmanp::testing
