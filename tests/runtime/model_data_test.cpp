// Model files: what they may hold, what they must not, and that nothing is lost on the way through one.
#include "runtime/model_data.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {
namespace {

using ::testing::Test;

Config small() {
  Config config;
  config.d_model = 8;
  config.nhead = 2;
  config.dim_feedforward = 6;
  config.num_layers = 2;
  config.num_latents = 3;
  config.num_latents_per_layer = 4;
  config.latent_dim = 5;
  config.layer_latent_dim = 7;
  config.prj_dim = 3;
  return config;
}

std::size_t parameters(const Config& config) {
  std::size_t sum = 0;
  for (const auto& [name, shape] : runtime::expected_tensors(config)) {
    std::size_t elements = 1;
    for (const std::size_t extent : shape) elements *= extent;
    sum += elements;
  }
  return sum;
}

class ModelFile : public Test {
 protected:
  // A file with this configuration and no tensors, for what comes before them.
  files::Safetensors with(const std::string& config, files::Metadata changes = {}) {
    files::Metadata metadata{{"format", "cmanp-model"}, {"format_version", "1"}, {"model", "cmanpand"}};
    metadata["config"] = config;
    for (const auto& [key, value] : changes) metadata[key] = value;
    return with_metadata(metadata);
  }

  files::Safetensors with_metadata(const files::Metadata& metadata) {
    files::write_safetensors(path_, metadata, {});
    return files::Safetensors::open(path_);
  }

  std::string config_error(const std::string& config, files::Metadata changes = {}) {
    const files::Safetensors file = with(config, std::move(changes));
    return error_message([&] { runtime::parse_config(file); });
  }

  void expect_config_error(const std::string& config, const std::string& part, files::Metadata changes = {}) {
    const std::string message = config_error(config, std::move(changes));
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_NE(message.find("model.safetensors"), std::string::npos) << message;
  }

  // Rewrites the metadata and tensors of a small model as the reference's state dict, then imports it.
  std::string import_error(const std::function<void(runtime::ModelData&)>& change) {
    Config config = small();
    config.latent_dim = config.layer_latent_dim = config.d_model;
    runtime::ModelData data = runtime::random_model(config, 1);
    change(data);
    files::TensorViews views;
    for (const auto& [name, tensor] : data.tensors) views[name] = files::view_of(tensor.values, tensor.shape);
    const std::string text = R"({"dim_x": 1, "dim_y": 1, "d_model": 8, "nhead": 2, "dim_feedforward": 6,
        "num_layers": 2, "num_latents": 3, "num_latents_per_layer": 4, "dropout": 0.1, "CMAB_block_size": null})";
    files::write_safetensors(path_, {{"format", "reference-state-dict"}, {"model", "cmanp"}, {"config", text}}, views);
    return error_message([&] { runtime::import_reference(path_); });
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "model.safetensors";
};

TEST(ExpectedTensors, AreAsManyNumbersAsTheReferenceHas) {
  Config gp;
  EXPECT_EQ(parameters(gp), 1'341'634u);
  Config emnist = gp;
  emnist.dim_x = 2;
  EXPECT_EQ(parameters(emnist), 1'341'762u);
  Config celeba = emnist;
  celeba.dim_y = 3;
  EXPECT_EQ(parameters(celeba), 1'342'406u);
  // The reference counts a predictor that CMANP-AND does not use.
  gp.covariance = celeba.covariance = Covariance::cholesky;
  EXPECT_EQ(parameters(gp), 1'460'951u - 8'578u);
  EXPECT_EQ(parameters(celeba), 1'467'141u - 9'094u);
}

TEST(ExpectedTensors, HaveAtLeastTwoLayersInAnEmbedder) {
  Config config = small();
  config.emb_depth = 1;
  const auto tensors = runtime::expected_tensors(config);
  EXPECT_TRUE(tensors.contains("embedder.0.weight"));
  EXPECT_TRUE(tensors.contains("embedder.2.weight"));
  EXPECT_FALSE(tensors.contains("embedder.4.weight"));
}

TEST(RandomModel, IsTheSameForASeedAndAnotherForAnother) {
  const auto first = runtime::random_model(small(), 7), again = runtime::random_model(small(), 7),
             other = runtime::random_model(small(), 8);
  const auto values = [](const runtime::ModelData& data, const char* name) { return data.tensors.at(name).values; };
  for (const char* name : {"latents", "embedder.0.weight", "encoder.layers.1.cross_attn.fn.to_kv.weight"}) {
    EXPECT_EQ(values(first, name), values(again, name));
    EXPECT_NE(values(first, name), values(other, name));
  }
  EXPECT_NE(values(first, "encoder.layers.0.latents"), values(first, "encoder.layers.1.latents"));
  EXPECT_EQ(values(first, "norm.weight"), std::vector<float>(8, 1.0f));
  EXPECT_EQ(values(first, "norm.bias"), std::vector<float>(8, 0.0f));
  for (const float value : values(first, "embedder.2.bias")) EXPECT_LE(std::abs(value), 1 / std::sqrt(8.0f));
}

TEST_F(ModelFile, KeepsConfigurationAndNormalisation) {
  for (const Covariance covariance : {Covariance::diagonal, Covariance::cholesky, Covariance::lowrank}) {
    Config config = small();
    config.covariance = covariance;
    config.dim_x = 2;
    config.bound_std = true;
    config.residual = Residual::plain;
    config.fourier_features = 3;
    runtime::ModelData data = runtime::random_model(config, 1);
    data.normalisation = {{0.1, 2}, {1.0 / 3, 1e-8}, {-5}, {7}};
    runtime::write_model(path_, data);
    const files::Safetensors file = files::Safetensors::open(path_);
    EXPECT_EQ(runtime::parse_config(file), config);
    EXPECT_EQ(runtime::parse_normalisation(file, config), data.normalisation);
    EXPECT_EQ(file.tensors().size(), data.tensors.size());
  }
}

TEST_F(ModelFile, FillsInWhatIsLeftOut) {
  const Config config = runtime::parse_config(with(R"({"dim_x": 2, "dim_y": 3, "d_model": 32})"));
  EXPECT_EQ(config.latent_dim, 32u);
  EXPECT_EQ(config.layer_latent_dim, 32u);
  EXPECT_EQ(config.num_latents, 128u);
  EXPECT_EQ(config.covariance, Covariance::cholesky);
}

TEST_F(ModelFile, RefusesBadConfigurations) {
  expect_config_error("", "not JSON");
  expect_config_error("[1]", "not a JSON object");
  expect_config_error(R"({"dim_x": 1})", "\"dim_y\" is missing");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "width": 3})", "unknown key 'width'");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "norm_first": true})", "unknown key 'norm_first'");
  expect_config_error(R"({"dim_x": 1.5, "dim_y": 1})", "\"dim_x\" must be a whole number, found '1.5'");
  expect_config_error(R"({"dim_x": -1, "dim_y": 1})", "\"dim_x\" must be a whole number");
  expect_config_error(R"({"dim_x": 0, "dim_y": 1})", "\"dim_x\" is 0");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "nhead": 3})", "not a multiple");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "nhead": 0})", "\"nhead\" is 0");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "num_layers": 18446744073709551615})", "\"num_layers\" is");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "fourier_features": 33})", "\"fourier_features\" is 33");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "d_model": 1000000})", "parameters");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1000000, "prj_dim": 1000000, "dim_feedforward": 1000000})",
                      "parameters");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "bound_std": 1})", "true or false");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "least_std": 0})", "\"least_std\" must be finite and above 0");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "least_std": 1})", "\"least_std\" must be below 1");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "residual": "odd"})", "\"normalised\" or \"plain\"");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "cov_approx": "full"})", "\"cholesky\" or \"lowrank\"");
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "cov_approx": "lowrank"})", "belongs to cmanpand",
                      {{"model", "cmanp"}});
}

TEST_F(ModelFile, RefusesOtherFiles) {
  const std::string config = R"({"dim_x": 1, "dim_y": 1})";
  expect_config_error(config, "its format is 'cmanp-state'", {{"format", "cmanp-state"}});
  expect_config_error(config, "version '2' is unknown", {{"format_version", "2"}});
  expect_config_error(config, "the lean half runs cmanp and cmanpand only", {{"model", "tnpd"}});
  const files::Safetensors bare = with_metadata({});
  EXPECT_NE(error_message([&] { runtime::parse_config(bare); }).find("no \"format\""), std::string::npos);
}

TEST_F(ModelFile, ReadsTheReferencesSettings) {
  const files::Metadata reference{{"format", "reference-state-dict"}, {"model", "cmanp"}};
  const Config config = runtime::parse_config(
      with(R"({"dim_x": 1, "dim_y": 1, "norm_first": true, "dropout": 0.5, "AND_block_size": "None"})", reference));
  EXPECT_EQ(config, Config());
  expect_config_error(R"({"dim_x": 1, "dim_y": 1, "norm_first": false})", "post-norm", reference);
}

TEST_F(ModelFile, RefusesBadNormalisation) {
  const auto message = [&](const std::string& normalisation) {
    const files::Safetensors file = with(R"({"dim_x": 1, "dim_y": 1})", {{"normalisation", normalisation}});
    return error_message([&] { runtime::parse_normalisation(file, Config()); });
  };
  const auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_EQ(message(R"({"x_shift": [0], "x_scale": [1], "y_shift": [0], "y_scale": [1]})"), "(no error)");
  EXPECT_TRUE(contains(message(R"({"x_shift": [0], "x_scale": [0], "y_shift": [0], "y_scale": [1]})"), "\"x_scale\""));
  EXPECT_TRUE(contains(message(R"({"x_shift": [0], "x_scale": [1], "y_shift": [0], "y_scale": [-1]})"), "positive"));
  EXPECT_TRUE(contains(message(R"({"x_shift": [0], "x_scale": [1], "y_shift": [0, 1], "y_scale": [1]})"), "list of 1"));
  EXPECT_TRUE(
      contains(message(R"({"x_shift": ["0"], "x_scale": [1], "y_shift": [0], "y_scale": [1]})"), "\"x_shift\""));
  EXPECT_TRUE(contains(message(R"({"x_shift": [0], "x_scale": [1], "y_shift": [0]})"), "\"y_scale\" is missing"));
  EXPECT_TRUE(contains(message(R"({"x_shift": [1e999]})"), "not JSON"));
  EXPECT_TRUE(contains(message(R"({"z": [0]})"), "unknown key 'z'"));
}

TEST_F(ModelFile, IsRefusedUnwrittenWhereTensorsDoNotFit) {
  runtime::ModelData data = runtime::random_model(small(), 1);
  data.tensors.erase("norm.bias");
  EXPECT_NE(error_message([&] { runtime::write_model(path_, data); }).find("\"norm.bias\""), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ModelFile, ImportNamesTheTensorThatIsWrong) {
  const auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_EQ(import_error([](auto&) {}), "(no error)");
  EXPECT_TRUE(contains(import_error([](auto& data) { data.tensors.erase("norm.bias"); }), "\"norm.bias\" is missing"));
  EXPECT_TRUE(contains(import_error([](auto& data) { data.tensors["extra"] = {{1}, {0.0f}}; }), "'extra'"));
  EXPECT_TRUE(contains(import_error([](auto& data) {
                         data.tensors["norm.bias"] = {{2}, {0.0f, 0.0f}};
                       }),
                       "\"norm.bias\" has shape [2], expected [8]"));
  EXPECT_TRUE(contains(
      import_error([](auto& data) { data.tensors["latents"].values[5] = std::numeric_limits<float>::quiet_NaN(); }),
      "\"latents\" holds nan at element 5"));
}

}  // namespace
}  // namespace cmanp::testing
