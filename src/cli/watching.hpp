// Warnings where a model is given what it does not know, and errors instead where `--strict` asks for them.
#pragma once

#include <CLI/CLI.hpp>
#include <cmanp/config.hpp>
#include <span>
#include <string>

#include "measures/watch.hpp"
#include "streams/point_batch.hpp"

namespace cmanp::cli {

CLI::Option* add_strict(CLI::App* verb, bool& strict);

class Watching {
 public:
  // `model`: its file. `units`: from the data to what the network sees.
  Watching(const std::string& model, const Normalisation& units, bool strict);

  // `observe`, with an eye on what goes by. In strict mode points that the model does not know are refused.
  streams::Observe over(streams::Observe observe);
  void targets(std::span<const double> x) { watch_.see_targets(x); }

  // Before anything is answered or written: warns, or throws Error in strict mode.
  void finish() const;

  // Of a stream, which has no such moment: at once, and once.
  void look(std::span<const double> x, std::span<const double> y = {});

  void set_units(const Normalisation& units) { watch_.set_units(units); }

 private:
  measures::Watch watch_;
  bool strict_;
  bool said_ = false, judged_noise_ = false;
  std::size_t points_ = 0;
};

}  // namespace cmanp::cli
