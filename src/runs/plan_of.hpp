// The plan that settings ask for. Settings of tasks and of event sequences differ, but not in these names.
#pragma once

#include "runs/problem.hpp"

namespace cmanp::runs {

template <class Settings>
Plan plan_of(const Settings& settings) {
  return {.steps = settings.steps,
          .log_every = settings.log_every,
          .eval_every = settings.eval_every,
          .save_every = settings.save_every,
          .save_minutes = settings.save_minutes,
          .patience = settings.patience};
}

}  // namespace cmanp::runs
