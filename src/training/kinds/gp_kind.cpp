#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmanp/error.hpp>

#include "training/kinds/kinds.hpp"
#include "training/model_kind.hpp"
#include "training/tasks/gp_task.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {
namespace {

struct GpKeys {
  std::string kernel = "rbf";
  std::string variant = "paper-code";
  bool exact_loss = false;
};

const KeyTable<GpKeys>& gp_keys() {
  static const KeyTable<GpKeys> table({
      {"kernel", &GpKeys::kernel, "The functions' kernel", 0, 0, {"rbf", "matern", "periodic"}},
      {"variant",
       &GpKeys::variant,
       "Of gp: length scales in [0.1, 0.6), which published numbers come from (paper-code), in [0.6, 1) (paper-text), "
       "or in [0.05, 0.6) (wide), to train what meets rougher functions than these; or as wide, and every other "
       "function "
       "with a rougher one added to it (sums)",
       0,
       0,
       {"paper-code", "paper-text", "wide", "sums"}},
      {"exact_loss", &GpKeys::exact_loss,
       "The loss is its expectation over y, given the context and the true kernel: the same minimum, less noise"},
  });
  return table;
}

GpTask make_gp(const Settings& s) {
  const GpKeys own = gp_keys().read(s.of_task);
  const bool jointly = (model_kinds().at(s.model).keys & kJoint) != 0;
  const Asked truth = !own.exact_loss ? Asked::nothing : jointly ? Asked::jointly : Asked::each;
  return GpTask(
      GpSettings{own.kernel, own.variant, s.batch, s.max_points, s.extra_targets, s.t_noise, truth, s.context});
}

void check_gp(const Settings& s) {
  if (gp_keys().read(s.of_task).exact_loss && (s.t_noise != 0 || !model_kinds().at(s.model).one_normal)) {
    std::vector<std::string> models;
    for (const ModelKind& kind : model_kinds()) {
      if (kind.one_normal) models.push_back(kind.name);
    }
    throw Error(
        fmt::format("exact_loss is for task gp without t_noise, which knows the mean and variance of every target, and "
                    "for models that answer with one normal: {}",
                    fmt::join(models, ", ")));
  }
  make_gp(s);
}

}  // namespace

TaskKind gp_kind() {
  return {.name = "gp",
          .summary = "functions drawn from Gaussian processes",
          .keys = own_keys(gp_keys()),
          .make = [](const Settings& s) { return std::make_shared<GpTask>(make_gp(s)); },
          .dimensions =
              [](const Settings&) {
                return std::pair<std::int64_t, std::int64_t>{1, 1};
              },
          .range = [](const Settings&) { return GpTask::kX; },
          .check = check_gp,
          .model_sizes = [](const Settings& s) { return default_config(s.model, "gp"); },
          .evaluation = {.flags = {"kernel", "variant", "t_noise"},
                         .inherited = {},
                         .each = "kernel",
                         .usual = {"rbf", "matern"},
                         .told = {"kernel", "variant"},
                         .fixed_context = true},
          .knows =
              [](const Settings& s) {
                return nlohmann::ordered_json{{"x", {{GpTask::kX.low, GpTask::kX.high}}},
                                              {"noise", GpTask::kNoise},
                                              {"prior", "Gaussian process, " + gp_keys().read(s.of_task).kernel}};
              }};
}

}  // namespace cmanp::training
