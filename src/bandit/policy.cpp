#include "bandit/policy.hpp"

#include <algorithm>
#include <vector>

namespace cmanp::bandit {

std::size_t largest(std::span<const double> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

std::size_t pick(const AgentOptions& options, std::span<const double> mean, std::span<const double> deviation,
                 base::NormalSource& normals) {
  if (options.policy == Policy::greedy) return largest(mean);
  std::vector<double> values(mean.begin(), mean.end());
  for (std::size_t arm = 0; arm < values.size(); ++arm) {
    const double by = options.policy == Policy::ucb ? 1 : normals.next();
    values[arm] += options.exploration * deviation[arm] * by;
  }
  return largest(values);
}

}  // namespace cmanp::bandit
