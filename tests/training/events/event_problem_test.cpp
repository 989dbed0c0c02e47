#include "training/events/event_problem.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "runs/metrics.hpp"
#include "runs/run.hpp"
#include "runs/settings_file.hpp"
#include "support/error_message.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "training/events/event_fixture.hpp"
#include "training/trainer/checkpoint.hpp"

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

runs::Progress train(const EventSettings& settings, const std::filesystem::path& folder,
                     runs::Resume resume = runs::Resume::no, std::int64_t until = 1 << 30) {
  EventProblem problem(settings);
  runs::Run run(problem, folder, {resume});
  runs::Calls calls;
  calls.should_stop = [&] { return run.progress().step >= until; };
  return run.go(calls);
}

Checkpoint result_of(const std::filesystem::path& folder) { return load_checkpoint(runs::checkpoint_of(folder)); }

void expect_same_weights(const std::filesystem::path& left, const std::filesystem::path& right) {
  const Checkpoint a = result_of(left), b = result_of(right);
  EXPECT_EQ(a.step, b.step);
  for (const auto& [name, tensor] : a.weights) EXPECT_TRUE(torch::equal(tensor, b.weights.at(name))) << name;
  EXPECT_EQ(load_best(left).validation_nll, load_best(right).validation_nll);
  EXPECT_EQ(load_best(left).step, load_best(right).step);
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
    const runs::Progress progress = train(settings(model, 60), folder_ / model);
    EXPECT_EQ(progress.step, 60);
    ASSERT_TRUE(progress.best_log_likelihood.has_value());
    // Marks alone are worth log 2 where they are not learnt, and gaps of two sizes more than that.
    EXPECT_GT(*progress.best_log_likelihood, -0.3) << model;
    const TrainedEvents best = load_best(folder_ / model);
    EXPECT_EQ(best.step, progress.best_step);
    EXPECT_EQ(best.validation_nll, -*progress.best_log_likelihood);
    EXPECT_EQ(best.domain.mark_names, (std::vector<std::string>{"a", "b"}));
  }
}

TEST_F(EventTraining, AResumedRunEndsAsTheUnbrokenOne) {
  train(settings("cmhp", 23), folder_ / "whole");
  // The stop of step 10 falls into its evaluation, which is made up for.
  for (const std::int64_t until : {1, 10, 12}) {
    const runs::Progress progress = train(settings("cmhp", 23), folder_ / "broken", runs::Resume::if_there, until);
    EXPECT_EQ(progress.step, until);
    EXPECT_EQ(progress.evaluation_due, until == 10);
  }
  train(settings("cmhp", 23), folder_ / "broken", runs::Resume::yes);
  expect_same_weights(folder_ / "whole", folder_ / "broken");
  const auto evaluations = [&](const char* run) {
    std::vector<Json> lines;
    for (const Json& line : runs::read_metrics(folder_ / run / "metrics.jsonl", 23)) {
      if (line.contains("log_likelihood")) lines.push_back(line);
    }
    return lines;
  };
  EXPECT_EQ(evaluations("broken").size(), 3U);  // steps 10, 20 and 23
  EXPECT_EQ(evaluations("broken"), evaluations("whole"));
}

// So that runs of a seed stay what they were.
TEST_F(EventTraining, TheCosineBeginsWithTheRun) {
  const EventProblem problem(settings("gru", 10));
  EXPECT_DOUBLE_EQ(problem.rate(0), 2.5e-3);
  EXPECT_DOUBLE_EQ(problem.rate(1), 5e-3);
  EXPECT_DOUBLE_EQ(problem.rate(5), 2.5e-3);
}

// A run of before, which carried costs and the processor time, and lacked some settings.
class OlderRun : public EventTraining {
 protected:
  void make_old(const char* run, double minutes, double seconds) const {
    const std::filesystem::path state_file = runs::checkpoint_of(folder_ / run) / runs::kStateFile;
    Json state = Json::parse(read_file(state_file));
    const Json now = state["progress"];
    const auto cost = [&](const char* key) { return now[key].is_null() ? Json() : Json(-now[key].get<double>()); };
    state["progress"] = {{"seconds", seconds},
                         {"loss", now["loss"]},
                         {"nll", cost("log_likelihood")},
                         {"best_nll", cost("best_log_likelihood")},
                         {"best_step", now["best_step"]},
                         {"without_gain", now["without_gain"]},
                         {"loss_sum", now["loss_sum"]},
                         {"loss_count", now["loss_count"]}};
    for (const char* key : {"save_minutes", "extended"}) state["settings"].erase(key);
    state["settings"]["minutes"] = minutes;
    runs::write_settings_file(state_file, state);
    runs::write_settings_file(folder_ / run / runs::kSettingsFile, state["settings"]);
  }
};

TEST_F(OlderRun, GoesOnAsTheUnbrokenOne) {
  train(settings("cmhp", 23), folder_ / "whole");
  for (const std::int64_t until : {12, 21}) {
    train(settings("cmhp", 23), folder_ / "old", runs::Resume::if_there, until);
    make_old("old", 0, 3.5);
  }
  train(settings("cmhp", 23), folder_ / "old", runs::Resume::yes);
  expect_same_weights(folder_ / "whole", folder_ / "old");
}

TEST_F(OlderRun, ThatEndedByItsTimeHasTheStepsThatItWouldHaveComeTo) {
  train(settings("gru", 1000), folder_ / "old", runs::Resume::no, 12);
  make_old("old", 0.5, 20);
  const ProcessResult result = run({"events", "train", "--resume", "--out", path("old"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["step"], 18);  // twelve took 20 seconds of 30
  const Json saved = runs::read_settings_file(folder_ / "old" / "settings.json");
  EXPECT_EQ(saved["steps"], 18);
  EXPECT_EQ(saved["extended"], "1000 steps until step 12");
}

TEST_F(EventTraining, MinutesBecomeSteps) {
  const std::string file = folder_.write("settings.json", document("gru", 10).dump()).string();
  std::vector<std::string> flags{"events",    "train",     "--settings", file,    "--out",
                                 path("run"), "--minutes", "0.005",      "--json"};
  const ProcessResult result = run(flags);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto steps = Json::parse(result.out)["step"].get<std::int64_t>();
  EXPECT_GT(steps, 2);  // the warm-up
  EXPECT_EQ(runs::read_settings_file(folder_ / "run" / "settings.json")["steps"], steps);
  flags.emplace_back("--resume");  // goes on with its own number of steps
  EXPECT_EQ(Json::parse(run(flags).out)["step"], steps);
  flags.insert(flags.end(), {"--steps", "5"});
  EXPECT_EQ(run(flags).exit_code, 2);  // one of them
}

TEST_F(EventTraining, ResumingNothingIsRefused) {
  const std::string file = folder_.write("settings.json", document("gru", 5).dump()).string();
  const std::vector<std::string> train{"events", "train", "--settings", file, "--out", path("run")};
  const auto with = [&](const std::string& flag) {
    std::vector<std::string> arguments = train;
    arguments.push_back(flag);
    return run(arguments);
  };
  const ProcessResult refused = with("--resume");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("holds no run to resume"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
  for (int round = 0; round < 2; ++round) {
    const ProcessResult result = with("--resume-or-start");
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  EXPECT_EQ(with("--resume").exit_code, 0);
}

TEST_F(EventTraining, StopsWhereNothingIsGained) {
  EventSettings hopeless = settings("gru", 500);
  hopeless.lr = 1e-12;
  hopeless.patience = 2;
  const runs::Progress progress = train(hopeless, folder_ / "run");
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
  check_event_run_resumable(older, own, "runs/x");  // of a version that did not have it: as its default
  other = own;
  other["dropout"] = 0.5;
  EXPECT_NE(refused(older, other).find("runs/x has dropout unset"), std::string::npos) << refused(older, other);
}

TEST_F(EventTraining, AWindowMayBeOfDates) {
  const Window window = parse_event_settings({{"data", data_}, {"window_from", "1970-01-02"}}, "").window();
  EXPECT_EQ(window.from, 86400.0);
  EXPECT_FALSE(window.to);
}

TEST_F(EventTraining, BadSettingsAreRefused) {
  const auto refused = [&](const Json& change) {
    Json document = this->document("cmhp", 10);
    document.update(change);
    return error_message([&] { EventProblem(parse_event_settings(document, "")); });
  };
  EXPECT_NE(refused({{"latents", 3}}).find("there is no setting 'latents'"), std::string::npos);
  EXPECT_NE(refused({{"lr", "fast"}}).find("lr must be a number"), std::string::npos);
  EXPECT_NE(refused({{"nhead", 3}}).find("not a multiple"), std::string::npos);
  EXPECT_NE(refused({{"window_to", "later"}}).find("window_to must be a number, a date or `last`"), std::string::npos);
  EXPECT_NE(refused({{"window_to", "5"}}).find("lies behind the window"), std::string::npos);
  EXPECT_NE(refused({{"train", data_}}).find("either by data or by train"), std::string::npos);
  EXPECT_NE(refused({{"validation_share", 0.0}}).find("validation part has no sequences"), std::string::npos);
  const std::string few = refused({{"data", folder_.write("one.txt", "0:a 1:b 2:a").string()}});
  EXPECT_NE(few.find("all events are one sequence, too few"), std::string::npos) << few;
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
  ASSERT_EQ(metrics["rivals"].size(), 3U);
  EXPECT_EQ(metrics["rivals"][2]["model"], "markov");
  EXPECT_EQ(metrics["rivals"][2]["events"], metrics["events"]);
  EXPECT_NE(metrics["verdict"][0].get<std::string>().find("the best simple rival, markov"), std::string::npos);
  const std::string table = run({"events", "eval", path("run"), path("run")}).out;
  const std::size_t rival = table.find("\nmarkov ");
  EXPECT_NE(rival, std::string::npos);
  EXPECT_EQ(table.find("\nmarkov ", rival + 1), std::string::npos) << "rivals of the same data stand there once";
  EXPECT_NE(table.find("\ncmhp is "), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "calibration.png"));

  result = run({"events", "baselines", "--data", data_, "--truth", "0.5", "0.1", "2", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::istringstream lines(result.out);
  for (const char* name : {"poisson", "hawkes", "renewal", "markov", "truth"}) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(Json::parse(line)["model"], name);
    if (name == std::string("renewal") || name == std::string("markov")) continue;  // such are the data
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
  train(settings("gru", 10), folder_ / "run");
  const ProcessResult result = run({"events", "export", path("run"), "-o", path("model.cmanp")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("need a cmhp"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace cmanp::training::events
