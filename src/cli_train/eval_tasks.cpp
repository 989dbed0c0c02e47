#include "cli_train/eval_tasks.hpp"

#include <fmt/format.h>

#include "cli_train/prepare_data.hpp"
#include "training/trainer/make_task.hpp"

namespace cmanp::cli_train {
namespace {

using nlohmann::ordered_json;

std::vector<EvalTask> make_gp_tasks(const EvalTaskOptions& options) {
  std::vector<EvalTask> tasks;
  for (const std::string& kernel : options.kernels) {
    training::GpSettings settings = options.gp;
    settings.kernel = kernel;
    tasks.push_back({std::make_shared<training::GpTask>(settings),
                     kernel,
                     {{"task", "gp"}, {"kernel", kernel}, {"variant", settings.variant}}});
  }
  return tasks;
}

std::vector<EvalTask> make_image_tasks(const EvalTaskOptions& options, const std::string& task,
                                       const ordered_json& trained) {
  ordered_json document{{"task", task}};
  if (training::is_image_task(trained.value("task", "gp"))) {
    for (const char* key : {"data", "resolution", "channels", "transpose", "test_share", "split_seed", "max_points"}) {
      if (trained.contains(key)) document[key] = trained[key];
    }
  }
  if (!options.data.empty()) document["data"] = options.data;
  if (options.resolution != 0) document["resolution"] = options.resolution;
  if (options.transpose) document["transpose"] = true;
  document["t_noise"] = options.gp.t_noise;
  std::vector<std::string> classes = options.classes;
  if (classes.empty())
    classes = task == "emnist" ? std::vector<std::string>{"0-9", "10-46"} : std::vector<std::string>{"all"};
  std::vector<EvalTask> tasks;
  for (const std::string& range : classes) {
    document["classes"] = range;
    const training::Settings settings = training::parse_settings(document, "");
    prepare_data(settings);
    tasks.push_back({training::make_task(settings),
                     range,
                     {{"task", task}, {"classes", range}, {"resolution", settings.resolution}}});
  }
  return tasks;
}

// Problems that no training has seen, of the kind that the model was trained on.
std::vector<EvalTask> make_wheel_tasks(const ordered_json& trained) {
  ordered_json document{{"task", "wheel"}};
  if (trained.value("task", "gp") == "wheel") {
    for (const char* key : {"variant", "rewards", "batch", "max_points", "max_targets", "model"}) {
      if (trained.contains(key)) document[key] = trained[key];
    }
  }
  const training::Settings settings = training::parse_settings(document, "");
  return {{training::make_task(settings),
           settings.variant,
           {{"task", "wheel"}, {"variant", settings.variant}, {"rewards", settings.rewards}}}};
}

}  // namespace

void add_eval_task_flags(CLI::App* verb, EvalTaskOptions& options) {
  verb->add_option("--task", options.task, "gp, wheel, emnist, celeba or image (default: as the model was trained)")
      ->check(CLI::IsMember({"gp", "wheel", "emnist", "celeba", "image"}))
      ->type_name("NAME");
  verb->add_option("--kernel", options.kernels, "rbf, matern, periodic; may stand several times")
      ->check(CLI::IsMember({"rbf", "matern", "periodic"}))
      ->capture_default_str();
  verb->add_option("--variant", options.gp.variant, "paper-code or paper-text: which length scales")
      ->check(CLI::IsMember({"paper-code", "paper-text"}))
      ->capture_default_str();
  verb->add_option("--t-noise", options.gp.t_noise,
                   "Student-t noise times this on every y; -1: times a number drawn anew each time")
      ->capture_default_str();
  verb->add_option("--data", options.data, "Pictures: a folder or a packed file (default: those of the run)")
      ->type_name("FOLDER|FILE");
  verb->add_option("--classes", options.classes,
                   "Classes of pictures, such as 10-46; may stand several times (default: emnist's 0-9 and 10-46, else "
                   "all)")
      ->type_name("RANGE");
  verb->add_option("--resolution", options.resolution, "Pixels a side (default: as the model was trained)")
      ->check(CLI::Range(std::int64_t{3}, std::int64_t{1024}))
      ->type_name("N");
  verb->add_flag("--transpose", options.transpose, "Turn rows into columns, as the official EMNIST files need");
}

std::vector<EvalTask> make_eval_tasks(const EvalTaskOptions& options, const ordered_json& trained) {
  const std::string task = options.task.empty() ? trained.value("task", "gp") : options.task;
  if (task == "wheel") return make_wheel_tasks(trained);
  return training::is_image_task(task) ? make_image_tasks(options, task, trained) : make_gp_tasks(options);
}

}  // namespace cmanp::cli_train
