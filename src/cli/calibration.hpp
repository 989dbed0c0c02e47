// cmanp calibrate, of either program: its flags, and what it prints, draws and writes. Each program brings what
// predicts.
#pragma once

#include <CLI/CLI.hpp>
#include <cmanp/config.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/given.hpp"
#include "cli/options.hpp"
#include "measures/held_out.hpp"

namespace cmanp::cli {

struct CalibrateOptions {
  std::string model;
  std::vector<std::string> data;
  std::size_t folds = 5;
  std::uint64_t seed = 0;
  std::string plot, title, output;
  DataFlags given;
  std::size_t threads = default_threads();
  bool json = false;
};

void add_calibrate_verb(CLI::App& app, const std::function<void(const CalibrateOptions&)>& run);

// Fails before any work is done where what is asked for can not be written.
void check_outputs(const CalibrateOptions& options);

void answer_calibrate(const CalibrateOptions& options, const Config& config, const measures::PredictFrom& predict);

}  // namespace cmanp::cli
