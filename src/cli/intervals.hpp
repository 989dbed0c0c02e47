// Stretches of an axis as flags: FROM:TO, numbers or ISO 8601 times.
#pragma once

#include <CLI/CLI.hpp>
#include <cmanp/config.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "measures/knowledge.hpp"

namespace cmanp::cli {

using measures::Interval;

// "0:3600", "2024-01-01:2024-12-31". Throws CLI::ValidationError that names the flag where it is none, or without
// width.
Interval parse_interval(const std::string& text, const std::string& flag);

// A number, or a time in seconds since 1970; says which. Throws CLI::ValidationError that names the flag.
struct Place {
  double at = 0;
  bool is_time = false;
};
Place parse_place(const std::string& text, const std::string& flag);

// A flag with a stretch for every channel, or one for all of them.
CLI::Option* add_intervals(CLI::App* verb, const std::string& flag, std::vector<Interval>& intervals,
                           const std::string& description);

// The shift and scale that bring `data` to `network`, a channel each. Throws Error where there are neither one nor as
// many as channels.
struct Units {
  std::vector<double> shift, scale;
};
Units units_between(const std::vector<Interval>& data, const std::vector<Interval>& network, const std::string& flag);

}  // namespace cmanp::cli
