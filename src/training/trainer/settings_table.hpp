// The trainer's own keys: name, member, bounds, meaning. The model's are in model_config.
#pragma once

#include "runs/run_files.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {

inline const KeyTable<Settings>& trainer_keys() {
  using S = Settings;
  static const KeyTable<Settings> keys({
      {"task",
       &S::task,
       "What to learn: gp, the bandit wheel, or to complete pictures: emnist, celeba, image (any others)",
       0,
       0,
       {"gp", "wheel", "emnist", "celeba", "image"}},
      {"kernel", &S::kernel, "Functions' kernel: rbf, matern, periodic", 0, 0, {"rbf", "matern", "periodic"}},
      {"variant",
       &S::variant,
       "Of gp: length scales in [0.1, 0.6), which published numbers come from (paper-code), or in [0.6, 1) "
       "(paper-text). "
       "Of wheel: eight fixed problems (paper-code), or new ones with delta uniform (paper-text) or often near 1 (rim)",
       0,
       0,
       {"paper-code", "paper-text", "rim"}},
      {"batch", &S::batch, "Tasks in a batch", 1, 65536},
      {"max_points", &S::max_points, "Context and target points of a task stay below it", 7, 1e6},
      {"extra_targets", &S::extra_targets, "Targets that training adds to every task: they cost little and teach more",
       0, 10000},
      {"t_noise", &S::t_noise, "Student-t noise times this on every y; -1: times a number drawn anew each time", -1,
       100},
      {"data", &S::data, "Pictures: a folder (IDX, CIFAR-10, CelebA, JPEG, PNG) or a packed file", 0, 0, {}, true},
      {"resolution", &S::resolution, "Pixels a side of a picture; 0: as the data have it", 0, 1024},
      {"channels", &S::channels, "1: grey, 3: colour; 0: as the task or the data have it", 0, 3},
      {"classes", &S::classes, "Classes of pictures, such as 0-9 (emnist's default) or all"},
      {"transpose", &S::transpose, "Turn rows into columns, as the official EMNIST files need"},
      {"test_share", &S::test_share, "Share of pictures to test on, where data have no such split", 0, 1},
      {"split_seed", &S::split_seed, "Decides which those are"},
      {"max_targets", &S::max_targets, "Target pixels of a training picture stay below it, too; 0: any number", 0, 1e6},
      {"context_targets", &S::context_targets, "Train on the context points as targets, too"},
      {"exact_loss", &S::exact_loss,
       "Of gp: the loss is its expectation over y, given the context and the true kernel: the same minimum, less "
       "noise"},
      {"rewards",
       &S::rewards,
       "Of wheel: a point has all arms' rewards, or the arm among its x and the reward of that one (chosen)",
       0,
       0,
       {"all", "chosen"}},
      {"drop_y", &S::drop_y, "Of wheel: the share of a training context's rewards that noise replaces", 0, 1},
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
      {"start", &S::start, "A model file or run folder to take weights from, wherever name and shape agree"},
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
      {"eval_every", &S::eval_every, "Steps between evaluations; 0: none", 0, 1e15, {}, true},
      {"eval_batches", &S::eval_batches, "Batches of the evaluation set to evaluate with", 1, 1e6, {}, true},
      {"patience", &S::patience, "Evaluations without a gain before training stops; 0: never", 0, 1e15, {}, true},
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
