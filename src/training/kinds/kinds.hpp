// The descriptions of the kinds of tasks there are.
#pragma once

#include "training/kinds/task_kind.hpp"

namespace cmanp::training {

TaskKind gp_kind();
TaskKind signals_kind();
TaskKind generator_kind();
TaskKind table_kind();
TaskKind wheel_kind();
TaskKind image_kind(const std::string& name, std::int64_t channels, std::int64_t side);  // 0: as the data have it

}  // namespace cmanp::training
