// Parameter counts of the published configurations, and the published initialisation.
#include <gtest/gtest.h>

#include <array>

#include "support/error_message.hpp"
#include "training/fixtures.hpp"
#include "training/neural_process.hpp"

namespace cmanp::testing {
namespace {

using training::default_config;
using training::make_model;

struct Count {
  const char* model;
  std::array<std::int64_t, 3> parameters;  // gp, emnist, celeba
};

constexpr Count counts[] = {
    {"cnp", {215'682, 298'626, 349'190}},         {"canp", {331'906, 414'978, 465'542}},
    {"np", {232'194, 315'138, 365'702}},          {"anp", {348'418, 431'490, 482'054}},
    {"bnp", {248'450, 331'394, 381'958}},         {"banp", {364'674, 447'746, 498'310}},
    {"tnpd", {222'082, 222'146, 222'790}},        {"tnpa", {222'082, 222'146, 222'790}},
    {"tnpnd", {332'821, 332'885, 338'431}},       {"eqtnp", {492'354, 492'482, 493'126}},
    {"lbanp", {792'514, 792'642, 793'286}},       {"lbanpnd", {911'831, 911'959, 918'021}},
    {"cmanp", {1'341'634, 1'341'762, 1'342'406}}, {"cmanpand", {1'460'951, 1'461'079, 1'467'141}},
};

TEST(ParameterCount, IsThePublishedOne) {
  ASSERT_EQ(std::size(counts), training::model_names().size());
  for (const Count& count : counts) {
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const auto model = make_model(count.model, default_config(count.model, tasks[t]));
      EXPECT_EQ(model->parameter_count(), count.parameters[t]) << count.model << " " << tasks[t];
      const auto rough = rough_parameter_count(count.model, model->config());
      EXPECT_LT(rough, 8.0 * static_cast<double>(count.parameters[t])) << count.model;
      EXPECT_GT(4 * rough, static_cast<double>(count.parameters[t])) << count.model;
    }
  }
}

TEST(ParameterCount, IsThePublishedOneOnTheWheel) {
  const std::pair<const char*, std::int64_t> published[] = {
      {"cnp", 218'122}, {"canp", 334'474}, {"np", 234'634},   {"anp", 350'986},  {"bnp", 250'890}, {"banp", 367'242},
      {"tnpd", 15'530}, {"tnpa", 15'530},  {"tnpnd", 47'406}, {"eqtnp", 33'402}, {"lbanp", 55'258}};
  for (const auto& [model, parameters] : published) {
    EXPECT_EQ(make_model(model, default_config(model, "wheel"))->parameter_count(), parameters) << model;
  }
}

TEST(Initialisation, SameSeedSameWeights) {
  const auto config = tiny_config();
  const auto a = make_model("cmanpand", config, 7), b = make_model("cmanpand", config, 7);
  const auto c = make_model("cmanpand", config, 8);
  const auto of_b = b->named_parameters(), of_c = c->named_parameters();
  bool differs = false;
  for (const auto& item : a->named_parameters()) {
    EXPECT_TRUE(item.value().equal(of_b[item.key()])) << item.key();
    differs = differs || !item.value().equal(of_c[item.key()]);
  }
  EXPECT_TRUE(differs);
}

TEST(Initialisation, LayersAreCopiesUnlessDistinct) {
  auto config = tiny_config();
  const char* const first = "encoder.layers.0.latents";
  const char* const second = "encoder.layers.1.latents";
  config.distinct_layers = false;
  const auto copies = make_model("cmanp", config)->named_parameters();
  EXPECT_TRUE(copies[first].equal(copies[second]));
  config.distinct_layers = true;
  const auto distinct = make_model("cmanp", config)->named_parameters();
  EXPECT_FALSE(distinct[first].equal(distinct[second]));
}

TEST(Initialisation, KeepsThePublishedBounds) {
  const auto config = default_config("cmanpand", "gp");
  const auto parameters = make_model("cmanpand", config)->named_parameters();
  const auto largest = [&](const char* name) { return parameters[name].abs().max().item<double>(); };
  // U(-1/8, 1/8) of 64 inputs, Xavier over the packed shape, and latents of unit variance.
  EXPECT_NEAR(largest("embedder.2.weight"), 0.125, 1e-3);
  EXPECT_NEAR(largest("std_encoder.layers.0.self_attn.in_proj_weight"), 0.1531, 1e-3);
  EXPECT_EQ(largest("std_encoder.layers.0.self_attn.in_proj_bias"), 0);
  EXPECT_NEAR(parameters["latents"].std().item<double>(), 1, 0.05);
  EXPECT_EQ(parameters["norm.weight"].min().item<double>(), 1);
}

TEST(ModelConfig, SurvivesJson) {
  for (const std::string& model : training::model_names()) {
    auto config = tiny_config();
    config.residual = Residual::plain;
    config.latent_dim = 5;
    const auto json = to_json(model, config);
    EXPECT_EQ(to_json(model, training::parse_config(model, json)), json) << model;
  }
}

TEST(ModelConfig, BadInputIsNamed) {
  const auto parse = [](const char* model, const char* settings) {
    return error_message([&] { training::parse_config(model, nlohmann::json::parse(settings)); });
  };
  EXPECT_EQ(parse("cmamp", "{}"),
            "unknown model 'cmamp'; did you mean cmanp? There are cnp, canp, np, anp, bnp, banp, tnpd, tnpnd, tnpa, "
            "eqtnp, lbanp, lbanpnd, cmanp, cmanpand");
  EXPECT_EQ(parse("cmanp", R"({"num_latent": 3})"), "config: cmanp has no key 'num_latent'; did you mean num_latents?");
  EXPECT_TRUE(parse("cnp", R"({"d_model": 3})").starts_with("config: cnp has no key 'd_model'"));
  EXPECT_EQ(parse("cmanp", R"({"nhead": 3})"), "config: \"d_model\" 64 is not a multiple of \"nhead\" 3");
  EXPECT_EQ(parse("cmanp", R"({"nhead": 0})"), "config: \"nhead\" is 0, but must be from 1 to 1000000");
  EXPECT_EQ(parse("cmanp", R"({"nhead": 4.5})"), "config: \"nhead\" must be a whole number, found '4.5'");
  EXPECT_EQ(parse("tnpd", R"({"dropout": 0.1})"), "config: \"dropout\" must be 0 (there is no dropout), found '0.1'");
  EXPECT_EQ(parse("tnpd", R"({"d_model": 1000000})"), "config: asks for more than 2147483648 parameters");
  EXPECT_EQ(parse("cmanp", R"([])"), "config: must be a JSON object");
  EXPECT_EQ(error_message([] { default_config("cmanp", "gb"); }),
            "unknown published experiment 'gb'; did you mean gp? There are gp, wheel, emnist, celeba");
}

TEST(NeuralProcess, RefusesMisshapenBatches) {
  const auto config = tiny_config();
  const auto model = make_model("cnp", config);
  auto batch = random_batch(config, 2, 4, 3, 1, torch::kFloat32);
  batch.yt = batch.yt.narrow(1, 0, 2);
  EXPECT_EQ(error_message([&] { model->loss(batch); }), "the targets' y has shape [2, 2, 2], expected [2, 3, 2]");
  batch = random_batch(config, 2, 0, 3, 1, torch::kFloat32);
  EXPECT_EQ(error_message([&] { model->loss(batch); }), "cnp needs at least one context point");
}

}  // namespace
}  // namespace cmanp::testing
