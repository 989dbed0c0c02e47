// cmanp-train as its users run it, through `cmanp`: train, stop, kill, resume, eval, export, models, bench.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmanp/context.hpp>
#include <csignal>

#include "runs/run.hpp"
#include "support/only_numbers.hpp"
#include "train_program.hpp"
#include "training/export.hpp"
#include "training/trainer/run_folder.hpp"
#include "training/trainer/task_problem.hpp"

namespace cmanp::training {
namespace {

using testing::Process;
using testing::ProcessResult;
using testing::TrainProgram;

TEST_F(TrainProgram, TrainsAndLeavesAllOfTheRunInItsFolder) {
  const ProcessResult result = run(train("run"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["step"], 20);
  EXPECT_TRUE(document["log_likelihood"].is_number());
  for (const char* file : {"settings.json", "metrics.jsonl", "checkpoints/step-00000020/weights.safetensors"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "run" / file)) << file;
  }
  const bool drawn = std::filesystem::exists(folder_ / "run" / "learning_curve.png");
  EXPECT_NE(drawn, result.err.find("gnuplot") != std::string::npos) << result.err;
  EXPECT_EQ(run(train("run")).exit_code, 1);                                 // taken
  EXPECT_EQ(run({"train", "--resume", "--out", path("run")}).exit_code, 0);  // done already
}

// The 2 is no model's name, but that is not what is wrong.
TEST_F(TrainProgram, AnUnknownOptionIsNamedBeforeItsValue) {
  const ProcessResult result = run({"eval", path("run"), "--batchs", "2"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "unknown option --batchs; did you mean --batches?", result.err);
}

TEST_F(TrainProgram, ASwitchIsOnByItself) {
  for (const std::string value : {"", "true", "false"}) {
    std::vector<std::string> flags{"--context-targets", value, "--steps", "5"};
    if (value.empty()) flags.erase(flags.begin() + 1);
    const ProcessResult result = run(train("run" + value, flags));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(runs::read_settings_file(folder_ / ("run" + value) / "settings.json")["context_targets"],
              value != "false");
  }
}

TEST_F(TrainProgram, KilledAtAnyMomentItResumesBitForBit) {
  for (const std::string threads : {"1", "2"}) {
    std::vector<std::string> long_run{"--steps", "40", "--save-every", "1", "--threads", threads};
    if (threads == "2") {  // wide enough for the fused nodes, which split a batch among threads
      long_run.insert(long_run.end(), {"--d-model", "16", "--latent-dim", "16", "--layer-latent-dim", "16"});
    }
    const std::string unbroken = "unbroken" + threads, killed = "killed" + threads;
    ASSERT_EQ(run(train(unbroken, long_run)).exit_code, 0);
    for (const std::int64_t step : {2, 12, 24}) {  // kills at whatever it is doing then
      std::vector<std::string> more = long_run;
      more.emplace_back("--resume-or-start");
      Process process(train(killed, more));
      await_step(killed, step);
      process.kill(SIGKILL);
      EXPECT_EQ(process.wait().signal, SIGKILL);
      EXPECT_GE(saved_step(killed), step);  // loads, so it is whole
    }
    const ProcessResult last = run({"train", "--resume", "--out", path(killed), "--cache", path("sets")});
    ASSERT_EQ(last.exit_code, 0) << last.err;
    expect_same_weights(unbroken, killed);
  }
}

// Trained, stopped, resumed, evaluated, exported and asked far from where it was trained.
TEST_F(TrainProgram, RelativeCoordinatesFromTrainingToAnswers) {
  for (const std::string model : {"cmanp", "cmanpand"}) {
    const std::vector<std::string> flags{
        "--model", model, "--coordinates", "relative", "--spacing",          "0.5", "--exact-loss", "--context-targets",
        "--steps", "12",  "--save-every",  "4",        "--train-block-size", "3"};
    std::vector<std::string> all = flags;
    if (model == "cmanp") all.resize(all.size() - 2);
    ASSERT_EQ(run(train(model + "-whole", all)).exit_code, 0);
    *(std::find(all.begin(), all.end(), "--save-every") + 1) = "1";
    Process process(train(model + "-killed", all));
    await_step(model + "-killed", 3);
    process.kill(SIGKILL);
    process.wait();
    output_of({"train", "--resume", "--out", path(model + "-killed"), "--cache", path("sets")});
    expect_same_weights(model + "-whole", model + "-killed");
    const auto score = nlohmann::json::parse(output_of(
        {"eval", path(model + "-whole"), "--kernel", "rbf", "--batches", "3", "--cache", path("sets"), "--json"}));
    EXPECT_TRUE(score["log_likelihood"].is_number());
    output_of({"export", path(model + "-whole"), "-o", path("model")});
    const auto predict = [&](const std::string& shift) {
      folder_.write("c.csv", "x,y\n" + shift + "00.25,0.5\n" + shift + "01.5,-0.25\n");
      folder_.write("t.csv", "x\n" + shift + "00.75\n" + shift + "09.5\n");
      return nlohmann::json::parse(
          output_of({"predict", "--model", path("model"), "--context", path("c.csv"), "--targets", path("t.csv"),
                     "--json", "--range", shift + "00:" + shift + "10"}));
    };
    const auto near = predict("1"), far = predict("10000");  // 900 and 999,900 further on
    for (const char* what : {"mean", "std"}) {
      for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(near[what][i][0].get<double>(), far[what][i][0].get<double>(), 1e-5) << what << i;
      }
    }
    EXPECT_NE(output_of({"inspect", path("model")}).find(model), std::string::npos);
  }
}

TEST_F(TrainProgram, CtrlCSavesAndLeaves) {
  const std::vector<std::string> endless{"--steps", "1000000", "--save-every", "50", "--log-every", "50"};
  Process process(train("run", endless));
  await_step("run", 50);
  process.kill(SIGINT);
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.exit_code, 130) << result.err;
  const std::int64_t step = saved_step("run");
  EXPECT_GE(step, 50);
  EXPECT_NE(result.err.find("saved at step " + std::to_string(step)), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("--resume"), std::string::npos) << result.err;
}

TEST_F(TrainProgram, MinutesBecomeSteps) {
  std::vector<std::string> flags = train("run", {"--minutes", "0.02"});
  const ProcessResult result = run(flags);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto done = nlohmann::json::parse(result.out)["step"].get<std::int64_t>();
  EXPECT_GT(done, 0);
  EXPECT_EQ(runs::read_settings_file(folder_ / "run" / "settings.json")["steps"], done);
  flags.emplace_back("--resume");  // goes on with its own number of steps
  EXPECT_EQ(run(flags).exit_code, 0);
  EXPECT_EQ(saved_step("run"), done);
  EXPECT_EQ(run(train("other", {"--minutes", "1", "--steps", "5"})).exit_code, 2);  // one of them
}

TEST_F(TrainProgram, ResumingNothingIsRefused) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--resume"}, {"--resume", "--processes", "2"}}) {
    expect_refused(train("none", more), {path("none") + ": holds no run to resume", "--resume-or-start"});
    EXPECT_FALSE(std::filesystem::exists(folder_ / "none"));
  }
  EXPECT_EQ(run(train("none", {"--resume", "--resume-or-start"})).exit_code, 2);
}

// With a constant rate, the longer run is the one that was to be longer from its start.
TEST_F(TrainProgram, AFinishedRunCanBeMadeLonger) {
  const std::vector<std::string> constant{"--schedule", "constant"};
  output_of(train("short", constant));
  output_of(train("long", {"--schedule", "constant", "--steps", "33"}));
  expect_refused(train("short", {"--schedule", "constant", "--resume", "--steps", "19"}), {"step 20 is done already"});
  output_of({"train", "--resume", "--steps", "33", "--out", path("short"), "--cache", path("sets")});
  expect_same_weights("long", "short");
  const auto settings = runs::read_settings_file(folder_ / "short" / "settings.json");
  EXPECT_EQ(settings["steps"], 33);
  EXPECT_EQ(settings["extended"], "20 steps until step 20");
  output_of({"train", "--resume", "--out", path("short"), "--cache", path("sets")});  // done already
  EXPECT_EQ(result_of("short").settings["extended"], "20 steps until step 20");
}

TEST_F(TrainProgram, EndsWhereNothingIsGained) {
  const ProcessResult result =
      run(train("run", {"--lr", "1e-15", "--ema", "0", "--steps", "500", "--eval-every", "2", "--patience", "3"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("nothing was gained by 3 evaluations"), std::string::npos) << result.err;
  EXPECT_LT(saved_step("run"), 500);
}

// Runs once carried less, and lacked some settings.
TEST_F(TrainProgram, AnOlderRunGoesOn) {
  ASSERT_EQ(run(train("whole")).exit_code, 0);
  {
    TaskProblem problem(testing::tiny_settings(), {}, folder_ / "sets");
    runs::Run part(problem, folder_ / "old");
    runs::Calls calls;
    calls.should_stop = [&] { return part.progress().step == 16; };
    part.go(calls);
  }
  const std::string state_file = "old/checkpoints/step-00000016/state.json";
  auto state = nlohmann::ordered_json::parse(testing::read_file(folder_ / state_file));
  for (const char* key : {"best_log_likelihood", "best_step", "evaluated_step", "without_gain"}) {
    ASSERT_EQ(state["progress"].erase(key), 1U) << key;
  }
  for (const char* key : {"patience", "extended"}) ASSERT_EQ(state["settings"].erase(key), 1U) << key;
  folder_.write(state_file, state.dump());
  folder_.write("old/settings.json", state["settings"].dump());
  output_of({"eval", path("old"), "--batches", "2", "--cache", path("sets")});
  output_of({"train", "--resume", "--out", path("old"), "--cache", path("sets")});
  expect_same_weights("whole", "old");
  EXPECT_EQ(result_of("whole").progress, result_of("old").progress);
}

TEST_F(TrainProgram, BadSettingsAndUsageAreToldApart) {
  const auto expect = [&](const std::vector<std::string>& more, int code, const std::string& part) {
    const ProcessResult result = run(train("bad", more));
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_TRUE(result.out.empty());
  };
  expect({"--stepz", "3"}, 2, "did you mean --steps?");
  expect({"--steps", "many"}, 2, "--steps: must be a whole number");
  expect({"--model", "cmamp"}, 1, "did you mean");
  expect({"--model", "nosuch"}, 1, "unknown model 'nosuch'; there are cnp, canp, np");
  expect({"--data", "weather.csv"}, 1, "task gp has no setting data; it is for emnist, celeba, image, table");
  expect({"--warmup", "500"}, 1, "warmup 500");
  expect({"--lr", "1e14", "--warmup", "0", "--clip", "0"}, 1, "no longer a number");
  EXPECT_EQ(run({"train", "--steps", "3"}).exit_code, 2);  // no folder
  EXPECT_EQ(run({"train", "--out", "/proc/none/run"}).exit_code, 1);
  EXPECT_NE(run({"train", "--help"}).out.find("Example"), std::string::npos);
}

TEST_F(TrainProgram, AFullDiskLosesNothing) {
  ASSERT_EQ(run(train("unbroken")).exit_code, 0);
  {
    TaskProblem problem(testing::tiny_settings(), {}, folder_ / "sets");
    runs::Run to_step_7(problem, folder_ / "run");
    runs::Calls calls;
    calls.should_stop = [&] { return to_step_7.progress().step == 7; };
    to_step_7.go(calls);
  }
  // Settings and metrics fit, weights do not.
  const ProcessResult result = testing::run_process(train("run", {"--resume"}), {.file_size_limit = 9000});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_NE(result.err.find("cannot write"), std::string::npos) << result.err;
  EXPECT_EQ(saved_step("run"), 7);
  ASSERT_EQ(run(train("run", {"--resume"})).exit_code, 0);
  expect_same_weights("unbroken", "run");
}

// The lean half answers as the training half does, on weights that a training left.
TEST_F(TrainProgram, ExportedModelsPredictTheSameInTheLeanHalf) {
  for (const std::string model : {"cmanp", "cmanpand"}) {
    ASSERT_EQ(run(train(model, {"--model", model, "--steps", "60", "--lr", "5e-3"})).exit_code, 0);
    const std::string file = path(model + ".cmanp");
    const ProcessResult exported = run({"export", path(model), "-o", file, "--json"});
    ASSERT_EQ(exported.exit_code, 0) << exported.err;
    EXPECT_EQ(nlohmann::json::parse(exported.out)["step"], 60);

    std::vector<double> xc(17), yc(17), xt(5);
    for (int i = 0; i < 17; ++i) {
      xc[i] = -2 + 0.23 * i;
      yc[i] = std::sin(3 * xc[i]);
    }
    for (int i = 0; i < 5; ++i) xt[i] = -1.9 + 0.8 * i;
    const auto tensor = [](const std::vector<double>& values) {
      return torch::tensor(values).to(torch::kFloat).view({1, -1, 1});
    };
    const torch::NoGradGuard no_grad;
    const Prediction wanted = load_run(folder_ / model).model->predict(tensor(xc), tensor(yc), tensor(xt));
    Context context(Model::load(file));
    context.observe(xc, yc);
    std::vector<double> mean(5), scale(25), std(5);
    context.predict_joint(xt, mean, scale);
    if (model == "cmanp") context.predict(xt, mean, std);
    for (std::int64_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(mean[i], wanted.mean[0][i][0].item<double>(), 1e-5) << model;
      if (model == "cmanp") {
        EXPECT_NEAR(std[i], wanted.std[0][i][0].item<double>(), 1e-5);
        continue;
      }
      for (std::int64_t j = 0; j <= i; ++j) {
        EXPECT_NEAR(scale[i * 5 + j], wanted.scale_tril[0][i][j].item<double>(), 1e-5);
      }
    }
  }
}

TEST_F(TrainProgram, EvaluatesRunsAndFiles) {
  ASSERT_EQ(run(train("run")).exit_code, 0);
  ASSERT_EQ(run({"export", path("run"), "-o", path("m.cmanp")}).exit_code, 0);
  std::vector<std::string> more{"--batches", "4", "--kernel", "matern", "--json", "--cache", path("sets")};
  const auto evaluate = [&](const std::string& what) {
    std::vector<std::string> arguments{"eval", path(what)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  };
  const auto of_run = evaluate("run"), of_file = evaluate("m.cmanp");
  EXPECT_EQ(of_run["kernel"], "matern");
  EXPECT_EQ(of_run["tasks"], 64);
  EXPECT_GT(of_run["limit_joint"], of_run["limit_marginal"]);
  EXPECT_EQ(of_run["log_likelihood"], of_file["log_likelihood"]);
  EXPECT_EQ(of_run["crps"], of_file["crps"]);
  // Hardly trained, so that nearly all deviations are the prior's, which no function leaves.
  const auto& widest = of_run["bands"][2];
  EXPECT_EQ(widest["level"], 0.95);
  EXPECT_GT(widest["coverage"]["value"], of_run["bands"][0]["coverage"]["value"]);
  EXPECT_GT(widest["coverage"]["value"], 0.8);
  more.insert(more.end(), {"--context", "30"});
  const auto fixed = evaluate("run");
  EXPECT_EQ(fixed["context"], 30);
  EXPECT_NE(fixed["limit_joint"], of_run["limit_joint"]);
  more.resize(more.size() - 2);
  // Both at once, a line each.
  std::vector<std::string> both{"eval", path("run"), path("m.cmanp")};
  both.insert(both.end(), more.begin(), more.end());
  const ProcessResult of_both = run(both);
  ASSERT_EQ(of_both.exit_code, 0) << of_both.err;
  const std::size_t end = of_both.out.find('\n');
  const auto first = nlohmann::json::parse(of_both.out.substr(0, end)),
             second = nlohmann::json::parse(of_both.out.substr(end));
  EXPECT_EQ(first["run"], path("run"));
  EXPECT_EQ(second["run"], path("m.cmanp"));
  EXPECT_EQ(first["log_likelihood"], second["log_likelihood"]);
  EXPECT_EQ(run({"eval", path("nowhere")}).exit_code, 1);
  EXPECT_EQ(run({"eval", path("tiny.json")}).exit_code, 1);
}

TEST_F(TrainProgram, EvalRefusesFlagsOfOtherTasks) {
  training::save_model(path("m.cmanp"), *make_model("cmanp", testing::tiny_settings().config), "{}",
                       Normalisation::identity(Config()));
  const auto expect = [&](const std::vector<std::string>& more, const std::string& part) {
    std::vector<std::string> arguments{"eval", path("m.cmanp"), "--batches", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_TRUE(result.out.empty());
  };
  expect({"--data", "weather.csv"}, "--data: is for task emnist, celeba, image, table, but the task is gp");
  expect({"--classes", "0-9"}, "--classes: is for task emnist, celeba, image");
  expect({"--rewards", "all"}, "--rewards: is for task wheel");
  expect({"--kernel", "rfb"}, "must be one of rbf, matern, periodic");
  expect({"--task", "chess"}, "unknown task 'chess'; there are gp, signals, wheel");
}

TEST_F(TrainProgram, HelpIsShortUnlessAskedForAll) {
  const std::string little = run({"train", "--help"}).out, all = run({"train", "--help-all"}).out;
  EXPECT_NE(little.find("--steps INTEGER"), std::string::npos) << little;
  EXPECT_NE(little.find("default 100000"), std::string::npos) << little;
  EXPECT_EQ(little.find("--num-latents"), std::string::npos) << little;
  EXPECT_NE(all.find("Model cmanp, cmanpand:"), std::string::npos) << all;
  EXPECT_NE(all.find("--num-latents-per-layer INTEGER"), std::string::npos) << all;
  EXPECT_NE(all.find("--coordinates NAME"), std::string::npos) << all;
  EXPECT_NE(all.find("Task gp:"), std::string::npos) << all;
  EXPECT_NE(all.find("Task wheel:"), std::string::npos) << all;
}

TEST_F(TrainProgram, ListsTheFamily) {
  const auto models = testing::json_lines(run({"models", "--json"}).out);
  ASSERT_EQ(models.size(), 14U);
  EXPECT_EQ(models[12]["model"], "cmanp");
  EXPECT_EQ(models[12]["parameters"]["gp"], 1341634);
  EXPECT_EQ(models[0]["parameters"]["celeba"], 349190);
  EXPECT_EQ(models[12]["memory"]["condition"], "1");
  EXPECT_EQ(models[6]["memory"]["query_context"], "N");  // tnpd
  const ProcessResult nano = run({"models", "--preset", "nano", "--json"});
  ASSERT_EQ(nano.exit_code, 0) << nano.err;
  EXPECT_LT(testing::json_lines(nano.out)[12]["parameters"]["gp"], 100000);
}

TEST_F(TrainProgram, BenchesATrainingStep) {
  const ProcessResult result = run({"bench", "train", "--settings", path("tiny.json"), "--seconds", "0.1", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["case"], "train");
  EXPECT_GT(document["per_second"], 0);
  EXPECT_GT(document["fraction_of_peak"], 0);
  EXPECT_LT(document["fraction_of_peak"], 1);
}

// Not the verbs of both halves, whose flags a test of the lean half has; nor all settings of every verb: train has
// them.
TEST_F(TrainProgram, NoFlagTakesWhatIsNoNumber) {
  std::size_t checked = 0;
  const ProcessResult all = testing::run_process({CMANP_TRAIN_PROGRAM, "help", "--json"});
  const nlohmann::json verbs = nlohmann::json::parse(all.out)["verbs"];
  for (const auto& verb : verbs) {
    if (verb["command"] != "cmanp train" && verb["command"] != "cmanp models") continue;
    testing::expect_only_numbers(verb, checked, {CMANP_PROGRAM, path("none")});
  }
  EXPECT_GT(checked, 100U);
}

}  // namespace
}  // namespace cmanp::training
