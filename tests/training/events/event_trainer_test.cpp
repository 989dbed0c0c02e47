#include "training/events/event_trainer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/error_message.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "training/events/event_fixture.hpp"
#include "training/trainer/checkpoint.hpp"
#include "training/trainer/run_folder.hpp"

namespace cmanp::training::events {
namespace {

using namespace cmanp::testing;
using Json = nlohmann::ordered_json;

// After a comes b within a tenth, after b comes a after about one: easily learnt.
std::string alternating(int sequences) {
  std::ostringstream text;
  for (int s = 0; s < sequences; ++s) {
    double time = s;
    for (int i = 0; i < 16; ++i) {
      text << time << (i % 2 == 0 ? ":a " : ":b ");
      time += (i % 2 == 0 ? 0.05 : 1.0) * (1 + 0.3 * std::sin(3.7 * s + 1.9 * i));
    }
    text << "\n";
  }
  return text.str();
}

class EventTraining : public ::testing::Test {
 protected:
  EventTraining() { data_ = folder_.write("data.txt", alternating(30)).string(); }

  Json document(const std::string& model, int steps) const {
    return {
        {"data", data_},         {"model", model},   {"d_model", 16},   {"nhead", 2},          {"num_layers", 1},
        {"dim_feedforward", 16}, {"head_width", 16}, {"components", 4}, {"steps", steps},      {"warmup", 2},
        {"log_every", 5},        {"eval_every", 10}, {"save_every", 5}, {"batch_events", 100}, {"prefix_share", 0.7},
        {"threads", 1},          {"lr", 5e-3},       {"ema", 0.9}};
  }

  EventSettings settings(const std::string& model, int steps) const {
    return parse_event_settings(document(model, steps), "");
  }

  ProcessResult run(std::vector<std::string> arguments, const std::string& input = "") const {
    arguments.insert(arguments.begin(), CMANP_PROGRAM);
    ProcessOptions options;
    options.input = input;
    return run_process(arguments, options);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  TemporaryFolder folder_;
  std::string data_;
};

TEST_F(EventTraining, EveryModelLearns) {
  for (const char* model : {"cmhp", "thp", "gru"}) {
    EventTrainer trainer(settings(model, 60), folder_ / model, false);
    const EventProgress progress = trainer.run({});
    EXPECT_EQ(progress.step, 60);
    ASSERT_TRUE(progress.best_nll.has_value());
    // Marks alone are worth log 2 where they are not learnt, and gaps of two sizes more than that.
    EXPECT_LT(*progress.best_nll, 0.3) << model;
    const TrainedEvents best = load_best(folder_ / model);
    EXPECT_EQ(best.step, progress.best_step);
    EXPECT_EQ(best.validation_nll, *progress.best_nll);
    EXPECT_EQ(best.domain.mark_names, (std::vector<std::string>{"a", "b"}));
  }
}

TEST_F(EventTraining, AResumedRunEndsAsTheUnbrokenOne) {
  EventTrainer(settings("cmhp", 23), folder_ / "whole", false).run({});
  {
    EventTrainerCalls calls;
    int steps = 0;
    calls.should_stop = [&] { return steps++ == 12; };
    EventTrainer broken(settings("cmhp", 23), folder_ / "broken", false);
    broken.run(calls);
    EXPECT_FALSE(broken.finished());
  }
  EventTrainer(settings("cmhp", 23), folder_ / "broken", true).run({});
  const Checkpoint a = load_checkpoint(*runs::latest_checkpoint(runs::checkpoint_folder(folder_ / "whole")));
  const Checkpoint b = load_checkpoint(*runs::latest_checkpoint(runs::checkpoint_folder(folder_ / "broken")));
  EXPECT_EQ(a.step, 23);
  EXPECT_EQ(b.step, 23);
  for (const auto& [name, tensor] : a.weights) EXPECT_TRUE(torch::equal(tensor, b.weights.at(name))) << name;
  EXPECT_EQ(load_best(folder_ / "whole").validation_nll, load_best(folder_ / "broken").validation_nll);
}

TEST_F(EventTraining, StopsWhereNothingIsGained) {
  EventSettings hopeless = settings("gru", 500);
  hopeless.lr = 1e-12;
  hopeless.patience = 2;
  const EventProgress progress = EventTrainer(hopeless, folder_ / "run", false).run({});
  EXPECT_LE(progress.step, 200);
}

TEST_F(EventTraining, ARunGoesOnWithItsOwnSettings) {
  const Json own = to_json(settings("cmhp", 10));
  const auto refused = [&](const Json& before, const Json& now) {
    return error_message([&] { check_event_run_resumable(before, now, "runs/x"); });
  };
  Json older = own, other = own;
  other["threads"] = 2;
  check_event_run_resumable(own, other, "runs/x");
  other["lr"] = 0.5;
  EXPECT_NE(refused(own, other).find("runs/x has lr 0.005, not 0.5"), std::string::npos) << refused(own, other);
  older.erase("dropout");
  EXPECT_NE(refused(older, own).find("runs/x has dropout unset"), std::string::npos) << refused(older, own);
}

TEST_F(EventTraining, OneRunAtATimeInAFolder) {
  const std::string run = path("run");
  const auto refused = [&](bool resume) {
    return error_message([&] { EventTrainer(settings("gru", 3), run, resume); });
  };
  {
    EventTrainer first(settings("gru", 3), run, false);
    for (const bool resume : {false, true}) {
      EXPECT_NE(refused(resume).find(run + ": another run (process " + std::to_string(::getpid()) + ")"),
                std::string::npos)
          << refused(resume);
    }
    first.run({});
  }
  EXPECT_NE(refused(false).find("holds a run already"), std::string::npos) << refused(false);
  EXPECT_NO_THROW(EventTrainer(settings("gru", 3), run, true));
}

TEST_F(EventTraining, BadSettingsAreRefused) {
  const auto refused = [&](const Json& change) {
    Json document = this->document("cmhp", 10);
    document.update(change);
    return error_message([&] { EventTrainer(parse_event_settings(document, ""), folder_ / "no", false); });
  };
  EXPECT_NE(refused({{"latents", 3}}).find("there is no setting 'latents'"), std::string::npos);
  EXPECT_NE(refused({{"lr", "fast"}}).find("lr must be a number"), std::string::npos);
  EXPECT_NE(refused({{"nhead", 3}}).find("not a multiple"), std::string::npos);
  EXPECT_NE(refused({{"window_to", "later"}}).find("window_to must be a number or `last`"), std::string::npos);
  EXPECT_NE(refused({{"window_to", "5"}}).find("lies behind the window"), std::string::npos);
  EXPECT_NE(refused({{"train", data_}}).find("either by data or by train"), std::string::npos);
  EXPECT_NE(refused({{"validation_share", 0.0}}).find("validation part has no sequences"), std::string::npos);
  EXPECT_NE(refused({{"data", path("missing.txt")}}).find("missing.txt"), std::string::npos);
}

TEST_F(EventTraining, FromTrainingToAStream) {
  const std::string settings_file = folder_.write("settings.json", document("cmhp", 40).dump()).string();
  ProcessResult result = run({"events", "train", "--settings", settings_file, "--out", path("run"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["step"], 40);
  EXPECT_EQ(run({"events", "train", "--settings", settings_file, "--out", path("run")}).exit_code, 1);  // there is one

  result = run({"events", "eval", path("run"), "--json", "--plot", path("calibration.png")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json metrics = Json::parse(result.out);
  EXPECT_EQ(metrics["model"], "cmhp");
  EXPECT_GT(metrics["accuracy"], 0.9);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "calibration.png"));

  result = run({"events", "baselines", "--data", data_, "--truth", "0.5", "0.1", "2", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::istringstream lines(result.out);
  for (const char* name : {"poisson", "hawkes", "truth"}) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(Json::parse(line)["model"], name);
    EXPECT_GT(Json::parse(line)["nll"].get<double>(), metrics["nll"].get<double>());
  }

  result = run({"events", "export", path("run"), "-o", path("model.cmanp")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  result = run({"events", "stream", "--model", path("model.cmanp"), "--json"}, "time,mark\n0,a\n0.05,b\n1.05,a\n");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::istringstream answers(result.out);
  for (const char* next : {"b", "a", "b"}) {
    std::string line;
    ASSERT_TRUE(std::getline(answers, line));
    EXPECT_EQ(Json::parse(line)["marks"][0]["mark"], next) << line;
  }
  result = run({"events", "plot", "--model", path("model.cmanp"), "--data", data_, "-o", path("intensity.png")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(EventTraining, OnlyACmhpIsExported) {
  EventTrainer(settings("gru", 10), folder_ / "run", false).run({});
  const ProcessResult result = run({"events", "export", path("run"), "-o", path("model.cmanp")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("need a cmhp"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace cmanp::training::events
