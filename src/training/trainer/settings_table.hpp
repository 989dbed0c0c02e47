// The trainer's own keys: name, member, bounds, meaning. A task's are in its TaskKind, a model's in model_keys.inc.
#pragma once

#include "runs/run_files.hpp"
#include "training/kinds/task_kind.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {

// "gp (functions …), wheel (…)"
inline std::string task_summaries() {
  std::string list;
  for (const TaskKind& kind : task_kinds()) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", kind.name, kind.summary);
  }
  return list;
}

inline const KeyTable<Settings>& trainer_keys() {
  using S = Settings;
  static const KeyTable<Settings> keys({
      {"task", &S::task, "What to learn: " + task_summaries()},
      {"batch", &S::batch, "Tasks in a batch (default of wheel: 8, of pictures: 100, 50 or 25 by resolution)", 1,
       65536},
      {"max_points", &S::max_points, "Context and target points of a task stay below it", 7, 1e6},
      {"max_targets", &S::max_targets, "Target points of a training task stay below it, too; 0: any number", 0, 1e6},
      {"extra_targets", &S::extra_targets, "Targets that training adds to every task: they cost little and teach more",
       0, 10000},
      {"context_targets", &S::context_targets, "Train on the context points as targets, too"},
      {"t_noise", &S::t_noise, "Student-t noise times this on every y; -1: times a number drawn anew each time", -1,
       100},
      {"model", &S::model, "The model, one of `cmanp models`"},
      {"init",
       &S::init,
       "Initial weights: published, or inducing (latents as points that might be observed, each attending to its "
       "neighbourhood)",
       0,
       0,
       {"published", "inducing"}},
      {"init_gain", &S::init_gain, "Of inducing: every linear map's gain", 1e-6, 100},
      {"init_sharpness", &S::init_sharpness, "Of inducing: scale of queries and keys", 1e-6, 100},
      {"start", &S::start,
       "A model file, a run's folder or the name of a model that is installed, to take weights from wherever name and "
       "shape agree; none: fresh ones. Of table by default universal, where it has the same widths"},
      {"steps", &S::steps, "Optimiser steps", 1},
      {"schedule",
       &S::schedule,
       "The learning rate's course: cosine (down to 0), constant",
       0,
       0,
       {"cosine", "constant"}},
      {"optimiser",
       &S::optimiser,
       "adam, or muon (Adam, but inner weight matrices move along their orthogonalised momentum)",
       0,
       0,
       {"adam", "muon"}},
      {"lr", &S::lr, "Learning rate"},
      {"warmup", &S::warmup, "Steps over which the learning rate first grows"},
      {"clip", &S::clip, "Largest norm of the gradient; 0: any"},
      {"weight_decay", &S::weight_decay, "L2 penalty in the gradient"},
      {"decoupled_decay", &S::decoupled_decay, "Weight decay shrinks the weights themselves instead (AdamW)"},
      {"ema", &S::ema, "Average the weights over steps with this decay, such as 0.999, and use the average; 0: do not",
       0, 0.9999999},
      {"seed", &S::seed, "Decides about initial weights, batches and all else"},
      {"log_every", &S::log_every, "Steps between lines of metrics", 1, 1e15, {}, true},
      {"eval_every",
       &S::eval_every,
       "Steps between evaluations; 0: none; -1 (default of table): often at first, later after an eighth of the steps "
       "that are done, for about a tenth of the time",
       -1,
       1e15,
       {},
       true},
      {"eval_batches", &S::eval_batches, "Batches of the evaluation set to evaluate with", 1, 1e6, {}, true},
      {"patience", &S::patience, "Evaluations without a gain before training stops; 0: never", 0, 1e15, {}, true},
      {"keep",
       &S::keep,
       "The weights that a run answers by: the last, or those of the best evaluation (default of table), what it "
       "started from included",
       0,
       0,
       {kKeepLast, kKeepBest}},
      {"save_every", &S::save_every, "Steps between checkpoints", 1, 1e15, {}, true},
      {"save_minutes", &S::save_minutes, "Minutes after which there is one in any case", 0, 1e6, {}, true},
      {"threads", &S::threads, "Threads to compute with; 0: one a core", 0, 1024, {}, true},
      {"context_chunk",
       &S::context_chunk,
       "Context points that cmanp and cmanpand take in at a time, recomputed for the gradient: memory does not grow "
       "with their number; 0: all at once",
       0,
       1e9,
       {},
       true},
      {runs::kExtended, &S::extended, "", 0, 0, {}, true},
  });
  return keys;
}

}  // namespace cmanp::training
