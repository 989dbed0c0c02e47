// What the public implementation computes in float64 for the formula weights, at the paper's size.
#pragma once

#include <cmanp/config.hpp>
#include <ostream>

namespace cmanp::testing {

struct FormulaValues {
  const char* task;
  std::size_t dim_x, dim_y;
  bool bound_std;
  // CMANP: mean log-likelihood per target over both tasks; mean and deviation of task 0's first target, channel 0.
  double diagonal, mean, std;
  // CMANP-AND: the same likelihood in blocks of two, of one, and in one block.
  double blocks_of_two, blocks_of_one, one_block;

  Config config(Covariance covariance) const {
    Config config;
    config.dim_x = dim_x;
    config.dim_y = dim_y;
    config.bound_std = bound_std;
    config.covariance = covariance;
    return config;
  }
};

inline std::ostream& operator<<(std::ostream& out, const FormulaValues& values) { return out << values.task; }

inline constexpr FormulaValues formula_values[] = {
    {"gp", 1, 1, false, -1.2268062835, 0.2132605937, 0.8389969026, -12.8781551688, -16.6802172141, -9.2189711857},
    {"emnist", 2, 1, true, -1.2442385185, 0.2296968004, 0.6190407117, -7.4771708067, -9.3867446027, -5.9672268476},
    {"celeba32", 2, 3, false, -3.8930332078, 0.2459915692, 0.5512173019, -19.6407530280, -22.6904531223,
     -13.4556733079},
};

}  // namespace cmanp::testing
