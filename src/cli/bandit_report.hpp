// cmanp bandit report.
#pragma once

#include <CLI/CLI.hpp>

namespace cmanp::cli {

void add_bandit_report(CLI::App* bandit);

}  // namespace cmanp::cli
