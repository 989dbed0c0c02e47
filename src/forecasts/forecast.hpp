// What a model or a rival answers about a window's targets, in their order and in the table's units.
#pragma once

#include <cmanp/error.hpp>
#include <string>
#include <vector>

#include "measures/judgement.hpp"

namespace cmanp::forecasts {

struct Forecast {
  std::vector<double> mean, std;
  measures::BandScales band_scales = measures::kPlainBands;  // to the width of each band

  // Half the width of a band (of measures::kLevels).
  double half_width(std::size_t target, std::size_t level) const {
    return measures::kLevels[level].deviations * band_scales[level] * std[target];
  }
};

using Paths = std::vector<double>;  // [draw][target]: what could come, each draw all of it together

[[noreturn]] inline void fail_without_joint_head(const std::string& model) {
  throw Error("--samples: a " + model +
              " knows each value by itself, not how values hang together, and sums over samples would have bands that "
              "are too narrow; train a cmanpand (--model cmanpand)");
}

}  // namespace cmanp::forecasts
