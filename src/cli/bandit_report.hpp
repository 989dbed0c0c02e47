// `cmanp bandit report`, which both programs have: the training half knows the paper's table as well.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

#include "bandit/published.hpp"

namespace cmanp::cli {

// `published` gives the paper's rows, for --paper; it may say that this program has none.
void add_bandit_report(CLI::App* bandit, const std::function<std::vector<bandit::Published>()>& published);

}  // namespace cmanp::cli
