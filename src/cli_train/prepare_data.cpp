#include "cli_train/prepare_data.hpp"

#include "cli/pack_report.hpp"
#include "training/kinds/task_kind.hpp"

namespace cmanp::cli_train {

void prepare_data(const training::Settings& settings) {
  cli::PackReport report;
  training::task_kinds().at(settings.task).prepare(settings, report.events());
  report.finish();
}

}  // namespace cmanp::cli_train
