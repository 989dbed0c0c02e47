// From what is expected of each arm to the arm to play.
#pragma once

#include <cmanp/agent.hpp>
#include <cstddef>
#include <span>
#include <string>

#include "base/normal_source.hpp"

namespace cmanp::bandit {

// The first of the largest.
std::size_t largest(std::span<const double> values);

// The arm by mean and deviation of each; `normals` are for thompson alone.
std::size_t pick(const AgentOptions& options, std::span<const double> mean, std::span<const double> deviation,
                 base::NormalSource& normals);

}  // namespace cmanp::bandit
