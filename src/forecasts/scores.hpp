// How good forecasts are: by the error, by the whole distribution, and by whether bands hold what they promise. Values
// of windows are averaged over windows, each counting the same, with the standard error of that mean.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "data/windows.hpp"
#include "forecasts/rivals.hpp"
#include "measures/judgement.hpp"

namespace cmanp::forecasts {

// One window, or the mean over some. Errors are in the data's units; the scaled ones (MASE, MSIS) in those of "the same
// as a season ago" within what was known before the window, sMAPE in per cent.
struct Score {
  double log_likelihood = 0, rmse = 0, mae = 0, crps = 0, mase = 0, smape = 0, msis = 0;
  std::array<double, measures::kLevels.size()> coverage{};
};

// In the order of Score, for tables: "log_likelihood", …, "coverage_95".
const std::vector<std::string>& score_names();
std::vector<double> values_of(const Score& score);
bool higher_is_better(const std::string& name);

// `season`: along x; 0: one step.
Score score_of(const data::Window& window, const Forecast& forecast, double step, double season);

struct Summary {
  std::size_t windows = 0;
  Score mean, standard_error;
};

// RMSE is the root of the mean square over windows; all else plain means.
Summary summarise(const std::vector<Score>& scores);

// Errors of each step ahead: mean absolute error over all windows, in units of the windows' own.
std::vector<double> error_by_step(const std::vector<data::Window>& windows, const std::vector<Forecast>& forecasts,
                                  double step);

// The share of values in each tenth of what was predicted: a tenth each is calibrated.
std::array<double, 10> shares_of_tenths(const std::vector<data::Window>& windows,
                                        const std::vector<Forecast>& forecasts);

}  // namespace cmanp::forecasts
