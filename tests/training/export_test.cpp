// Models as files: the lean half answers as the training half does, and every model comes back from its file.
#include <gtest/gtest.h>

#include <cmanp/context.hpp>
#include <cmanp/predictor.hpp>

#include "runtime/weights.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "training/export.hpp"
#include "training/fixtures.hpp"
#include "training/state.hpp"

namespace cmanp::testing {
namespace {

using torch::Tensor;
using training::Batch;
using training::ModelConfig;

std::vector<double> values_of(const Tensor& tensor) {
  const Tensor plain = tensor.to(torch::kFloat64).contiguous();
  return {plain.data_ptr<double>(), plain.data_ptr<double>() + plain.numel()};
}

void expect_near(const std::vector<double>& lean, const Tensor& expected, const std::string& what) {
  const std::vector<double> values = values_of(expected);
  ASSERT_EQ(lean.size(), values.size());
  for (std::size_t i = 0; i < lean.size(); ++i) {
    EXPECT_NEAR(lean[i], values[i], 1e-5 * std::max(1.0, std::abs(values[i]))) << what << " " << i;
  }
}

std::vector<std::pair<std::string, ModelConfig>> variants() {
  std::vector<std::pair<std::string, ModelConfig>> list;
  for (const char* name : {"cmanp", "cmanpand"}) {
    ModelConfig config = training::default_config(name, "celeba");
    config.d_model = 32;
    config.num_layers = 3;
    config.num_latents = 17;
    config.num_latents_per_layer = 13;
    config.distinct_layers = true;
    list.emplace_back(name, config);
    config.latent_dim = 24;
    config.layer_latent_dim = 20;
    config.residual = Residual::plain;
    config.fourier_features = 3;
    config.bound_std = true;
    list.emplace_back(name, config);
    config.dim_x = 1;
    config.dim_y = 2;
    config.residual = Residual::normalised;
    config.cov_approx = Covariance::lowrank;
    list.emplace_back(name, config);
  }
  for (const char* name : {"cmanp", "cmanpand"}) {
    ModelConfig config = training::default_config(name, "gp");
    config.coordinates = Coordinates::relative;
    config.residual = Residual::plain;
    config.range_low = -4, config.range_high = 4;
    list.emplace_back(name, config);
    config.dim_x = config.dim_y = 2;
    config.spacing = 1.5;
    config.longest_length = 4;  // below what heads start with
    config.absolute_features = true;
    config.residual = Residual::normalised;
    list.emplace_back(name, config);
    config.absolute_features = false;
    config.dim_x = 4, config.features = 2;
    list.emplace_back(name, config);
  }
  list.emplace_back("cmanp", training::default_config("cmanp", "gp"));
  list.emplace_back("cmanpand", training::default_config("cmanpand", "gp"));
  return list;
}

TEST(Export, LeanHalfPredictsTheSame) {
  const torch::NoGradGuard no_grad;
  std::uint64_t seed = 20;
  for (const auto& [name, config] : variants()) {
    SCOPED_TRACE(name + " " + to_json(name, config).dump());
    const auto model = training::make_model(name, config, ++seed);
    const Batch batch = random_batch(config, 1, 40, 5, seed, torch::kFloat32);
    Context context(runtime::make_model(export_model(*model)));
    context.observe(values_of(batch.xc), values_of(batch.yc));

    const auto size = static_cast<std::size_t>(batch.yt.numel());
    std::vector<double> mean(size), std(size), factor(size * size);
    context.predict(values_of(batch.xt), mean, std);
    for (std::int64_t i = 0; i < 5; ++i) {  // each target by itself
      const auto expected = model->predict(batch.xc, batch.yc, batch.xt.narrow(1, i, 1));
      const auto width = static_cast<std::size_t>(config.dim_y), at = static_cast<std::size_t>(i) * width;
      expect_near({&mean[at], &mean[at] + width}, expected.mean, "mean");
      expect_near({&std[at], &std[at] + width}, expected.std, "std");
    }
    if (name == "cmanpand") {
      const auto joint = model->predict(batch.xc, batch.yc, batch.xt);
      context.predict_joint(values_of(batch.xt), mean, factor);
      expect_near(mean, joint.mean, "joint mean");
      expect_near(factor, joint.scale_tril, "joint factor");
    }
  }
}

TEST(Export, LeavesOutWhatNothingReads) {
  const auto model = training::make_model("cmanpand", tiny_config());
  EXPECT_TRUE(training::to_tensors(*model).contains("predictor.0.weight"));
  EXPECT_FALSE(export_model(*model).tensors.contains("predictor.0.weight"));
  const auto tnpd = training::make_model("tnpd", tiny_config());
  EXPECT_EQ(error_message([&] { export_model(*tnpd); }), "the lean half runs cmanp and cmanpand only, not tnpd");
}

TEST(Export, EveryModelComesBackFromItsFile) {
  const torch::NoGradGuard no_grad;
  const TemporaryFolder folder;
  const Normalisation normalisation{{0.5}, {2}, {0, 1}, {3, 4}};
  for (const std::string& name : training::model_names()) {
    const auto model = training::make_model(name, tiny_config(), 5);
    save_model(folder / name, *model, R"({"by": "a test"})", normalisation);
    const auto loaded = training::open_model(folder / name);
    EXPECT_EQ(loaded.normalisation, normalisation);
    EXPECT_EQ(loaded.model->model_name(), name);
    const auto back = loaded.model->named_parameters();
    for (const auto& item : model->named_parameters()) {
      const bool unused = name == "cmanpand" && item.key().starts_with("predictor.");
      EXPECT_TRUE(unused || item.value().equal(back[item.key()])) << name << " " << item.key();
    }
  }
}

TEST(Export, FilesThatDoNotFitAreNamed) {
  const TemporaryFolder folder;
  const auto small = training::make_model("cnp", tiny_config());
  const auto path = folder / "small";
  save_model(path, *small, "{}", {{0}, {1}, {0, 0}, {1, 1}});
  auto config = tiny_config();
  config.dim_hid = 16;
  const auto large = training::make_model("cnp", config);
  const auto file = files::Safetensors::open(path);
  EXPECT_EQ(error_message([&] { load_state(*large, file); }),
            path.string() + ": tensor \"enc1.net_pre.0.weight\" has shape [8, 3], expected [16, 3]");
  const auto greedy = folder / "greedy";
  const auto write_greedy = [&](const char* version) {
    files::write_safetensors(greedy,
                             {{"format", "cmanp-model"},
                              {"format_version", version},
                              {"model", "tnpd"},
                              {"config", R"({"dim_x": 1, "dim_y": 1, "d_model": 2000, "num_layers": 1})"}},
                             {});
    return error_message([&] { training::open_model(greedy); });
  };
  EXPECT_EQ(write_greedy("1"), greedy.string() + ": holds 0 numbers, far fewer than its configuration asks for");
  EXPECT_EQ(write_greedy("2"),
            greedy.string() + ": model format version '2' is unknown here; this cmanp reads version 1");
  const auto other = training::make_model("canp", tiny_config());
  EXPECT_EQ(error_message([&] { load_state(*other, file); }),
            path.string() + ": tensor 'enc1.net_post.0.bias' is in no canp of this configuration");
}

}  // namespace
}  // namespace cmanp::testing
