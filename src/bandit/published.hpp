// The paper's table of the wheel bandit.
#pragma once

#include <vector>

namespace cmanp::bandit {

// What the paper says of a method, by delta 0.7, 0.9, 0.95, 0.99, 0.995: [paper] and not measured here.
struct Published {
  const char* method;
  double regret[5];
};
const std::vector<Published>& published_standings();

}  // namespace cmanp::bandit
