// `cmanp data`: what else than pictures it knows.
#pragma once

#include <CLI/CLI.hpp>

namespace cmanp::cli {

void add_data_check(CLI::App& data);

}  // namespace cmanp::cli
