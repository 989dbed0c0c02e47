// A model that was trained on a table, from its run or its file, with what it knows of its tables.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "data/windows.hpp"
#include "forecasts/in_frames.hpp"
#include "measures/judgement.hpp"
#include "training/kinds/table_data.hpp"
#include "training/neural_process.hpp"

namespace cmanp::cli_train {

// Factors to what a model says of its errors: to the deviations of series that it knows, and to the width of each band
// of any.
struct TableWidths {
  std::map<std::pair<std::string, std::string>, double> of_series =
      {};  // column and group; 1 of those that are not there
  measures::BandScales band_scales = measures::kPlainBands;

  double of(const data::Series& series) const;
  // To deviations of any: as far as all bands say the same. Few errors that are far out widen the outer bands alone.
  double of_deviations() const;
};

struct TableModel {
  std::shared_ptr<training::NeuralProcess> model;
  training::TableKeys keys;  // from a file: without the place of its data
  std::string name;
  std::int64_t step = 0, last_step = 0;  // of its weights, and of its training; 0: not known
  // So that bands hold their shares on the validation part, which weights were not fitted to.
  TableWidths widths = {};
  std::vector<TableModel> others = {};  // who answer together with it, as a mixture

  // About windows in these units.
  std::vector<forecasts::Forecast> answer(const std::vector<data::Window>& windows, const training::TableUnits& units,
                                          const forecasts::Progress& progress = {}) const;

  // Joint draws about windows, as wide as bands of 95 %. Throws Error where it, or one of the others, knows of none.
  std::vector<forecasts::Paths> draw(const std::vector<data::Window>& windows, const training::TableUnits& units,
                                     std::size_t count, std::uint64_t seed) const;

 private:
  std::vector<forecasts::Forecast> own_answer(const std::vector<data::Window>& windows,
                                              const training::TableUnits& units,
                                              const forecasts::Progress& progress = {}) const;
  std::vector<forecasts::Paths> own_draws(const std::vector<data::Window>& windows, const training::TableUnits& units,
                                          std::size_t count, std::uint64_t seed) const;
};

// Throws Error where the model was trained on something else. The first to load a run after its training finds the
// widths of its bands, and writes them beside it.
TableModel load_table_model(const std::string& place, bool last_weights = false);

// The same with others of the same windows, which answer together with it.
TableModel load_table_model(const std::string& place, const std::vector<std::string>& others,
                            bool last_weights = false);

// Adds what `export` writes of a run besides its weights: the widths of its bands.
void add_widths(nlohmann::ordered_json& provenance, const std::string& run);

}  // namespace cmanp::cli_train
