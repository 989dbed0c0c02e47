#include "training/trainer/run_folder.hpp"

#include "training/trainer/checkpoint.hpp"

namespace cmanp::training {

namespace fs = std::filesystem;

TrainedModel load_run(const fs::path& folder, bool averaged) {
  const fs::path path = runs::checkpoint_of(folder);
  const Checkpoint checkpoint = load_checkpoint(path);
  TrainedModel trained;
  trained.settings = parse_settings(checkpoint.settings, path.string());
  const bool kept = averaged && checkpoint.kept;
  trained.last_step = checkpoint.step;
  trained.step = kept ? checkpoint.kept->step : checkpoint.step;
  trained.model = make_model(trained.settings.model, trained.settings.config);
  NamedTensors parameters;
  for (const auto& parameter : trained.model->named_parameters()) parameters[parameter.key()] = parameter.value();
  const bool has_average = averaged && trained.settings.ema > 0;
  copy_tensors(path.string(),
               kept          ? checkpoint.kept->weights
               : has_average ? checkpoint.averaged
                             : checkpoint.weights,
               parameters);
  trained.model->eval();
  return trained;
}

}  // namespace cmanp::training
