// Settings: what is wrong is said by key, with the nearest known name; what is right comes back as it was.
#include <gtest/gtest.h>

#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "tiny_settings.hpp"
#include "training/model_kind.hpp"
#include "training/neural_process.hpp"

namespace cmanp::training {
namespace {

using Json = nlohmann::ordered_json;
using testing::error_message;

void expect_refused(const Json& document, const std::vector<std::string>& parts) {
  const std::string message = error_message([&] { parse_settings(document, "run.json"); });
  EXPECT_EQ(message.rfind("run.json: ", 0), 0U) << message;
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Settings, DefaultsAreThePublishedRecipe) {
  const Settings settings = parse_settings(Json::object(), "");
  EXPECT_EQ(settings.steps, 100000);
  EXPECT_EQ(settings.lr, 5e-4);
  EXPECT_EQ(settings.batch, 16);
  EXPECT_EQ(settings.clip, 0);
  EXPECT_EQ(make_model(settings.model, settings.config)->parameter_count(), 1341634);
}

TEST(Settings, ComeBackAsTheyWere) {
  const testing::TemporaryFolder folder;
  const Settings settings = testing::tiny_settings({{"t_noise", 0.25}, {"kernel", "periodic"}});
  write_settings_file(folder / "settings.json", to_json(settings));
  const Json read = read_settings_file(folder / "settings.json");
  EXPECT_EQ(read, to_json(settings));
  EXPECT_EQ(to_json(parse_settings(read, "")), to_json(settings));
}

TEST(Settings, UnknownKeysAreNamedWithTheNearest) {
  expect_refused({{"stepz", 5}}, {"'stepz'", "did you mean steps?"});
  expect_refused({{"num_latent", 5}}, {"'num_latent'", "did you mean num_latents?"});
  expect_refused({{"model", "cnp"}, {"num_latents", 5}}, {"model cnp has no setting 'num_latents'"});
  expect_refused({{"model", "cmamp"}}, {"'cmamp'", "cmanp"});
}

TEST(Settings, WrongValuesAreNamed) {
  expect_refused({{"task", "chess"}},
                 {"unknown task 'chess'; there are gp, signals, wheel, emnist, celeba, image, generator, table"});
  expect_refused({{"kernel", "rfb"}}, {"kernel must be one of rbf, matern, periodic"});
  expect_refused({{"steps", "many"}}, {"steps must be a whole number"});
  expect_refused({{"steps", 0}}, {"steps must be from 1"});
  expect_refused({{"steps", 1e300}}, {"steps must be a whole number"});
  expect_refused({{"lr", -1}}, {"lr must be from 0"});
  expect_refused({{"ema", 1}}, {"ema must be from 0"});
  expect_refused({{"context_targets", 1}}, {"context_targets must be true or false"});
  expect_refused({{"d_model", 0}}, {"d_model"});
  expect_refused(Json::array({1}), {"must be a JSON object"});
}

TEST(Settings, ContradictionsAreRefused) {
  expect_refused({{"steps", 10}, {"warmup", 10}}, {"warmup 10", "10 steps"});
  expect_refused({{"decoupled_decay", true}}, {"weight_decay"});
  expect_refused({{"lr", 0}}, {"lr is 0"});
  expect_refused({{"dim_x", 2}}, {"dim_x"});
  expect_refused({{"d_model", 30}}, {"d_model", "nhead"});
  expect_refused({{"t_noise", -0.5}}, {"t_noise"});
  expect_refused({{"model", "lbanp"}, {"context_chunk", 5}}, {"context_chunk is for cmanp and cmanpand", "lbanp"});
}

TEST(Settings, ExactLossIsForTasksThatKnowIt) {
  EXPECT_TRUE(parse_settings({{"exact_loss", true}, {"model", "tnpnd"}}, "").of_task["exact_loss"].get<bool>());
  expect_refused({{"exact_loss", true}, {"model", "np"}}, {"exact_loss is for"});
  expect_refused({{"exact_loss", true}, {"t_noise", 0.1}}, {"exact_loss is for"});
  expect_refused({{"exact_loss", true}, {"task", "wheel"}}, {"task wheel has no setting exact_loss; it is for gp"});
}

TEST(Settings, RelativeCoordinatesAreSaidOnlyWhereTheyAre) {
  for (const char* key : {"coordinates", "spacing", "range_low"}) {
    EXPECT_FALSE(to_json(parse_settings(Json::object(), "")).contains(key)) << key;
  }
  const Settings settings = parse_settings(preset("relative", "cmanp"), "");
  const Json document = to_json(settings);
  EXPECT_EQ(document["coordinates"], "relative");
  EXPECT_EQ(document["range_low"], -2);
  EXPECT_FALSE(document.contains("num_latents"));  // the grid says how many
  EXPECT_EQ(to_json(parse_settings(document, "")), document);
  expect_refused({{"coordinates", "relativ"}}, {"coordinates", "absolute"});
  expect_refused({{"coordinates", "relative"}, {"spacing", 0}}, {"spacing"});
  expect_refused({{"coordinates", "relative"}, {"init", "inducing"}}, {"relative"});
  for (const std::string& model : model_names()) {
    Json keys = preset("relative", model);
    keys["model"] = model;
    EXPECT_EQ(parse_settings(keys, "").of_task["exact_loss"], model_kinds().at(model).one_normal) << model;
  }
}

TEST(Settings, APresetLeavesOutWhatATaskDoesNotHave) {
  EXPECT_TRUE(preset("relative", "cmanp", "gp").contains("exact_loss"));
  Json wheel = preset("relative", "cmanp", "wheel");
  EXPECT_FALSE(wheel.contains("exact_loss"));
  wheel["task"] = "wheel";
  EXPECT_EQ(to_json(parse_settings(wheel, ""))["coordinates"], "relative");
  EXPECT_NE(error_message([] { preset("relative", "cmanp", "whel"); }).find("wheel"), std::string::npos);
}

TEST(Settings, PresetNanoIsBelowAHundredThousandParameters) {
  for (const std::string& model : model_names()) {
    Json document = preset("nano", model);
    document["model"] = model;
    const Settings settings = parse_settings(document, "");
    EXPECT_LT(make_model(model, settings.config)->parameter_count(), 100000) << model;
  }
  EXPECT_NE(error_message([] { preset("micro", "cmanp"); }).find("paper, fast, nano"), std::string::npos);
}

TEST(Settings, TextIsTypedByTheKey) {
  EXPECT_EQ(parse_value("steps", "12"), Json(12));
  EXPECT_EQ(parse_value("lr", "1e-3"), Json(1e-3));
  EXPECT_EQ(parse_value("distinct_layers", "true"), Json(true));
  EXPECT_EQ(parse_value("residual", "plain"), Json("plain"));
  EXPECT_EQ(error_message([] { parse_value("steps", "1.5"); }), "must be a whole number");
  EXPECT_EQ(error_message([] { parse_value("lr", "fast"); }), "must be a number");
}

TEST(Settings, ARunGoesOnWithItsOwn) {
  const Json before = to_json(testing::tiny_settings());
  check_resumable(before, to_json(testing::tiny_settings({{"log_every", 100}, {"threads", 2}, {"context_chunk", 64}})),
                  "runs/x");
  const std::string message = error_message([&] {
    check_resumable(before, to_json(testing::tiny_settings({{"lr", 0.5}})), "runs/x");
  });
  EXPECT_NE(message.find("runs/x has lr 0.001, not 0.5"), std::string::npos) << message;
}

}  // namespace
}  // namespace cmanp::training
