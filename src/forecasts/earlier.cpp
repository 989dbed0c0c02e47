#include "forecasts/earlier.hpp"

#include <algorithm>
#include <cmath>

namespace cmanp::forecasts {

bool looks_ahead(const data::Window& window) {
  if (window.context.empty() || window.targets.empty()) return false;
  return window.series->x[window.targets.front()] > window.series->x[window.context.back()];
}

std::vector<data::Window> earlier_ones(const data::Window& window) {
  constexpr std::size_t kMost = 3, kFewest = 8;  // windows; points to go by
  std::vector<data::Window> earlier;
  const std::vector<std::size_t>& known = window.context;
  if (!looks_ahead(window)) return earlier;
  const std::size_t ahead = std::min(window.targets.size(), known.size() / 4);
  const std::size_t enough = std::max(kFewest, known.size() / 2);
  for (std::size_t k = 1; ahead > 0 && k <= kMost && known.size() >= enough + k * ahead; ++k) {
    data::Window one = window;
    const auto end = known.end() - static_cast<std::ptrdiff_t>(k * ahead);
    one.context.assign(known.begin(), end);
    one.targets.assign(end, end + static_cast<std::ptrdiff_t>(ahead));
    one.origin = window.series->x[one.context.back()];
    earlier.push_back(std::move(one));
  }
  return earlier;
}

std::vector<double> widths_by(const std::vector<EarlierErrors>& errors) {
  constexpr double kDoubt = 3;    // as many forecasts are believed in beforehand
  constexpr double kUsual = 1.5;  // the mean square of errors on a table, as far as it is known beforehand
  EarlierErrors all;
  for (const EarlierErrors& one : errors) {
    all.squares += one.squares;
    all.count += one.count;
  }
  const double mean = (all.squares + kDoubt * kUsual) / (all.count + kDoubt);
  std::vector<double> widths;
  for (const EarlierErrors& one : errors) {
    widths.push_back(std::sqrt((one.squares + kDoubt * mean) / (one.count + kDoubt)));
  }
  return widths;
}

}  // namespace cmanp::forecasts
