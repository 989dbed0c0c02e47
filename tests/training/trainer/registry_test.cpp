// A new kind of task and a new model are a description each, registered by a line: they train, evaluate and export as
// those that are there.
#include <gtest/gtest.h>

#include <cmanp/context.hpp>
#include <cmath>

#include "runs/run.hpp"
#include "runtime/config_json.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "tiny_settings.hpp"
#include "training/evaluation/evaluate.hpp"
#include "training/evaluation/predictor.hpp"
#include "training/export.hpp"
#include "training/kinds/task_kind.hpp"
#include "training/model_kind.hpp"
#include "training/modules/densities.hpp"
#include "training/trainer/run_folder.hpp"
#include "training/trainer/task_problem.hpp"

namespace cmanp::training {
namespace {

using Json = nlohmann::ordered_json;
using testing::error_message;
using testing::TemporaryFolder;

// A sensor's readings: seconds of an hour, degrees about some temperature of the day.
constexpr double kHour = 3600, kSpread = 2.5;

struct SensorKeys {
  double mean = 20;
  std::int64_t readings = 12;
};

const KeyTable<SensorKeys>& sensor_keys() {
  static const KeyTable<SensorKeys> table({
      {"mean", &SensorKeys::mean, "Degrees", -100, 100},
      {"readings", &SensorKeys::readings, "Readings of a day", 4, 100},
  });
  return table;
}

class SensorTask : public Task {
 public:
  SensorTask(const SensorKeys& keys, std::int64_t batch) : keys_(keys), batch_(batch) {}

  std::string name() const override { return "sensor-" + std::to_string(keys_.readings); }
  std::int64_t dim_x() const override { return 1; }
  std::int64_t dim_y() const override { return 1; }
  Range range() const override { return {-1, 1}; }

  // In the units of batches.
  Batch next(Random& random) const override {
    torch::Tensor x = torch::empty({batch_, keys_.readings, 1}), y = torch::empty_like(x);
    for (std::int64_t b = 0; b < batch_; ++b) {
      const double day = random.uniform(-1, 1);
      for (std::int64_t i = 0; i < keys_.readings; ++i) {
        const double at = random.uniform(-1, 1);
        x[b][i][0] = at;
        y[b][i][0] = day + 0.3 * std::sin(3 * at);
      }
    }
    const std::int64_t half = keys_.readings / 2;
    return {x.narrow(1, 0, half).contiguous(), y.narrow(1, 0, half).contiguous(),
            x.narrow(1, half, keys_.readings - half).contiguous(),
            y.narrow(1, half, keys_.readings - half).contiguous()};
  }

 private:
  SensorKeys keys_;
  std::int64_t batch_;
};

TaskKind sensor_kind() {
  return {
      .name = "sensor",
      .summary = "a thermometer's readings",
      .keys = own_keys(sensor_keys()),
      .make = [](const Settings& s) { return std::make_shared<SensorTask>(sensor_keys().read(s.of_task), s.batch); },
      .dimensions =
          [](const Settings&) {
            return std::pair<std::int64_t, std::int64_t>{1, 1};
          },
      .fill_in =
          [](Settings& s, const Json& document) {
            if (!document.contains("batch")) s.batch = 3;
          },
      .evaluation = {.flags = {"readings"}, .inherited = {"mean"}, .each = "", .usual = {}, .told = {"readings"}},
      .units =
          [](const Settings& s) {
            return Normalisation{{kHour / 2}, {kHour / 2}, {sensor_keys().read(s.of_task).mean}, {kSpread}};
          },
      .knows =
          [](const Settings&) {
            return Json{{"x", {{0, kHour}}}};
          }};
}

// Says the mean of what was seen, and learns how far off that is.
class MeanModel : public NeuralProcess {
 public:
  MeanModel(const std::string& name, const ModelConfig& config) : NeuralProcess(name, config) {
    spread_ = register_module("spread", torch::nn::Linear(config.dim_x, config.dim_y));
  }

 private:
  Normal answer(const torch::Tensor& yc, const torch::Tensor& xt) {
    return {yc.mean(1, true).expand({-1, xt.size(1), -1}), spread_(xt).exp()};
  }
  torch::Tensor compute_loss(const Batch& batch) override { return -compute_log_likelihood(batch); }
  torch::Tensor compute_log_likelihood(const Batch& batch) override {
    return log_density(answer(batch.yc, batch.xt), batch.yt).mean();
  }
  Prediction compute_prediction(const torch::Tensor&, const torch::Tensor& yc, const torch::Tensor& xt) override {
    const Normal normal = answer(yc, xt);
    return {normal.mean, normal.std, {}};
  }
  torch::Tensor draw(const torch::Tensor&, const torch::Tensor& yc, const torch::Tensor& xt, std::int64_t count,
                     RandomSource& source) override {
    const Normal normal = answer(yc, xt);
    const auto sizes = normal.mean.sizes();
    return normal.mean + normal.std * source.normal({count, sizes[0], sizes[1], sizes[2]}, normal.mean);
  }

  torch::nn::Linear spread_{nullptr};
};

ModelKind mean_kind() {
  return {.name = "mean",
          .make = [](const std::string& name,
                     const ModelConfig& config) { return std::make_shared<MeanModel>(name, config); },
          .memory = {"N", "1", "M", "N", "U"}};
}

class Registries : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (task_kinds().find("sensor") == nullptr) task_kinds().add(sensor_kind());
    if (model_kinds().find("mean") == nullptr) model_kinds().add(mean_kind());
  }

  TrainedModel trained(const Settings& settings) {
    TaskProblem problem(settings);
    runs::Run run(problem, folder_ / "run", {});
    const runs::Progress progress = run.go({});
    EXPECT_EQ(progress.step, settings.steps);
    EXPECT_TRUE(progress.log_likelihood.has_value());
    return load_run(folder_ / "run", true);
  }

  TemporaryFolder folder_;
};

TEST_F(Registries, ANewTaskTrainsEvaluatesAndExportsInItsOwnUnits) {
  Json document = testing::tiny_document();
  document.erase("batch");
  document.update({{"task", "sensor"}, {"mean", 22.5}, {"readings", 20}});
  const TrainedModel run = trained(parse_settings(document, ""));
  EXPECT_EQ(run.settings.batch, 3);
  EXPECT_EQ(run.settings.of_task, (Json{{"mean", 22.5}, {"readings", 20}}));
  EXPECT_EQ(read_settings_file(folder_ / "run" / "settings.json")["mean"], 22.5);

  const auto task = make_task(run.settings);
  const Evaluation evaluation = evaluate(*run.model, make_evaluation_set(*task, {.batches = 3}), {});
  EXPECT_EQ(evaluation.tasks, 9U);
  EXPECT_TRUE(std::isfinite(evaluation.log_likelihood));

  save_model(folder_ / "sensor.cmanp", *run.model, "{}", units_of(run.settings));
  const Model model = Model::load(folder_ / "sensor.cmanp");
  Context context(model);
  const std::vector<double> x{60, 1800, 3000}, y{21, 22.5, 24}, asked{900, 2700};
  context.observe(x, y);
  std::vector<double> mean(2), std(2);
  context.predict(asked, mean, std);
  // The same by hand, in the units of batches.
  const auto scaled = [](const std::vector<double>& values, double shift, double scale) {
    torch::Tensor t = torch::empty({1, static_cast<std::int64_t>(values.size()), 1});
    for (std::size_t i = 0; i < values.size(); ++i) t[0][static_cast<std::int64_t>(i)][0] = (values[i] - shift) / scale;
    return t;
  };
  const torch::NoGradGuard no_grad;
  const Prediction expected =
      run.model->predict(scaled(x, 1800, 1800), scaled(y, 22.5, kSpread), scaled(asked, 1800, 1800));
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(mean[static_cast<std::size_t>(i)], 22.5 + kSpread * expected.mean[0][i][0].item<double>(), 1e-4);
    EXPECT_NEAR(std[static_cast<std::size_t>(i)], kSpread * expected.std[0][i][0].item<double>(), 1e-4);
  }
}

TEST_F(Registries, ANewTasksKeysAreItsOwn) {
  const auto refusal = [](const Json& document) { return error_message([&] { parse_settings(document, ""); }); };
  EXPECT_EQ(refusal({{"task", "sensor"}, {"readings", 3}}), "readings must be from 4 to 100, not '3'");
  EXPECT_EQ(refusal({{"task", "sensor"}, {"kernel", "matern"}}), "task sensor has no setting kernel; it is for gp");
  EXPECT_EQ(refusal({{"data", "weather.csv"}}), "task gp has no setting data; it is for emnist, celeba, image, table");
  EXPECT_EQ(refusal({{"task", "sensors"}}),
            "unknown task 'sensors'; did you mean sensor? There are gp, signals, wheel, emnist, celeba, image, "
            "generator, table, sensor");
  EXPECT_EQ(refusal({{"task", "sensor"}, {"reading", 9}}),
            "model cmanp has no setting 'reading'; did you mean readings?");
  // Runs that are older than tasks' own keys have everybody's, at their defaults.
  EXPECT_EQ(refusal({{"data", ""}, {"rewards", "all"}, {"drop_y", 0}, {"test_share", 0.1}, {"transpose", false}}),
            "(no error)");
  EXPECT_EQ(refusal({{"task", "wheel"}, {"kernel", "rbf"}, {"exact_loss", false}, {"classes", ""}, {"channels", 0}}),
            "(no error)");
}

TEST_F(Registries, ANewModelTrainsAndIsSaved) {
  const TrainedModel run = trained(parse_settings(
      {{"model", "mean"}, {"steps", 30}, {"lr", 0.05}, {"eval_every", 30}, {"eval_batches", 2}, {"threads", 1}}, ""));
  save_model(folder_ / "mean", *run.model, "{}", units_of(run.settings));
  Predictor predictor(open_model(folder_ / "mean"));
  predictor.observe(std::vector<double>{0, 1}, std::vector<double>{2, 4});
  std::vector<double> mean(1), std(1);
  predictor.predict(std::vector<double>{0.5}, mean, std);
  EXPECT_NEAR(mean[0], 3, 1e-6);
  EXPECT_NE(error_message([&] {
              parse_settings({{"model", "mean"}, {"d_model", 8}}, "");
            }).find("has no setting"),
            std::string::npos);
}

TEST_F(Registries, UnknownNamesAreNothingElse) {
  EXPECT_EQ(error_message([] { make_model("nosuch", {}); }).find("unknown model 'nosuch'; there are cnp, canp"), 0U);
  EXPECT_EQ(error_message([] { task_kinds().add(sensor_kind()); }), "task sensor is there twice");
}

TEST_F(Registries, TheLeanHalfRunsWhatDescriptionsSay) {
  for (const ModelKind& kind : model_kinds()) EXPECT_EQ(kind.lean, runtime::runs_lean(kind.name)) << kind.name;
}

}  // namespace
}  // namespace cmanp::training
