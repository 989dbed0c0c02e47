#include "support/formula_weights.hpp"

#include <cmath>

namespace cmanp::testing {
namespace {

double formula(const std::string& name, bool is_matrix, std::size_t row, std::size_t column, std::size_t in) {
  const double i = static_cast<double>(row), j = static_cast<double>(column);
  if (name.ends_with("latents")) return std::sin(0.3 * i + 0.5 * j + 0.01 * i * j);
  if (is_matrix) return std::sin(0.7 * i + 1.3 * j + 0.1 * i * j) / std::sqrt(static_cast<double>(in));
  // Vectors are a single row: their index is the column.
  if (name.find("norm") == std::string::npos) return 0.1 * std::sin(j + 1);
  return name.ends_with("weight") ? 1 + 0.1 * std::sin(j) : 0.1 * std::cos(j);
}

}  // namespace

std::map<std::string, Matrix> formula_weights(const Config& config) {
  std::map<std::string, Matrix> result;
  for (const auto& [name, shape] : runtime::expected_tensors(config)) {
    const bool is_matrix = shape.size() == 2;
    Matrix matrix(is_matrix ? shape[0] : 1, shape.back());
    for (std::size_t r = 0; r < matrix.rows; ++r) {
      for (std::size_t c = 0; c < matrix.cols; ++c) matrix(r, c) = formula(name, is_matrix, r, c, matrix.cols);
    }
    result.emplace(name, std::move(matrix));
  }
  return result;
}

runtime::ModelData formula_model(const Config& config) {
  runtime::ModelData data{config, Normalisation::identity(config), "{}", {}};
  const auto shapes = runtime::expected_tensors(config);
  for (const auto& [name, matrix] : formula_weights(config)) {
    runtime::Tensor tensor{shapes.at(name), {}};
    for (const double value : matrix.values) tensor.values.push_back(static_cast<float>(value));
    data.tensors.emplace(name, std::move(tensor));
  }
  return data;
}

Task formula_task(const Config& config, std::size_t b) {
  Task task;
  for (std::size_t n = 0; n < 12; ++n) {
    Points& points = n < 7 ? task.context : task.targets;
    const double point = static_cast<double>(n), of = static_cast<double>(b);
    for (std::size_t k = 0; k < config.dim_x; ++k) {
      points.x.push_back(2 * std::sin(1.1 * point + 2.3 * of + 0.7 * static_cast<double>(k) + 0.5));
    }
    for (std::size_t c = 0; c < config.dim_y; ++c) {
      points.y.push_back(std::cos(0.9 * point + 1.7 * of + 0.6 * static_cast<double>(c)));
    }
  }
  return task;
}

}  // namespace cmanp::testing
