// cmanp plot, of either program: its flags, and the picture. Each program brings what learns.
#pragma once

#include <CLI/CLI.hpp>
#include <cmanp/config.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/given.hpp"
#include "cli/options.hpp"
#include "runtime/learner.hpp"

namespace cmanp::cli {

struct PlotOptions {
  std::string model, state, truth, title, out;
  std::vector<std::string> context, show;
  RangeFlags places;
  std::optional<double> from, to;  // else as far as the data go
  bool times = false;              // they are seconds since 1970
  std::size_t points = 201;
  std::size_t draws = 0;
  std::size_t block = ContextOptions{}.block;
  std::uint64_t seed = 0;
  std::size_t threads = default_threads();
  DataFlags data;
};

void add_plot_verb(CLI::App& app, const std::function<void(const PlotOptions&)>& run);

// What has observed all that the options say; asked for when they turned out well, with the places that it is asked
// about.
using Learn = std::function<std::unique_ptr<runtime::Learner>(const std::vector<double>& x)>;

// `units`: from the data to what the network sees.
void answer_plot(const PlotOptions& options, const Config& config, const Normalisation& units, const Learn& learn);

}  // namespace cmanp::cli
