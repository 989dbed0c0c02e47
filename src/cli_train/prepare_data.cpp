#include "cli_train/prepare_data.hpp"

#include "cli/pack_report.hpp"
#include "training/trainer/make_task.hpp"

namespace cmanp::cli_train {

void prepare_data(const training::Settings& settings) {
  if (!training::is_image_task(settings.task)) return;
  cli::PackReport report;
  images::open_images(settings.data, training::data_options(settings), report.events());
  report.finish();
}

}  // namespace cmanp::cli_train
