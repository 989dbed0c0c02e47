// What a model or a rival answers about a window's targets, in their order and in the table's units.
#pragma once

#include <cmanp/error.hpp>
#include <string>
#include <vector>

namespace cmanp::forecasts {

struct Forecast {
  std::vector<double> mean, std;
};

using Paths = std::vector<double>;  // [draw][target]: what could come, each draw all of it together

[[noreturn]] inline void fail_without_joint_head(const std::string& model) {
  throw Error("--samples: a " + model +
              " knows each value by itself, not how values hang together, and sums over samples would have bands that "
              "are too narrow; train a cmanpand (--model cmanpand)");
}

}  // namespace cmanp::forecasts
