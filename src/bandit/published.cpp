#include "bandit/published.hpp"

namespace cmanp::bandit {

const std::vector<Published>& published_standings() {
  static const std::vector<Published> table{
      {"paper: CNP", {4.08, 8.14, 8.01, 26.78, 38.25}},    {"paper: CANP", {8.08, 11.69, 24.49, 47.33, 49.59}},
      {"paper: NP", {1.56, 2.96, 4.24, 18.00, 25.53}},     {"paper: ANP", {1.62, 4.05, 5.39, 19.57, 27.65}},
      {"paper: BNP", {62.51, 57.49, 58.22, 58.91, 62.50}}, {"paper: BANP", {4.23, 12.42, 31.10, 52.59, 49.55}},
      {"paper: TNP-D", {1.18, 1.70, 2.55, 3.57, 4.68}},    {"paper: LBANP", {1.11, 1.75, 1.65, 6.13, 8.76}},
      {"paper: CMANP", {0.93, 1.56, 1.87, 9.04, 13.02}},
  };
  return table;
}

}  // namespace cmanp::bandit
