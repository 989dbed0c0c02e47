// Series get factors of their own where they differ in all their windows, and none where chance explains it.
#include "measures/series_widths.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace cmanp::measures {
namespace {

// Windows of `series`, whose errors are normal, times what `size` says of series and window.
template <class Size>
std::vector<WindowErrors> draw_windows(std::size_t series, std::size_t windows, const Size& size) {
  base::Random random(5);
  std::vector<WindowErrors> drawn;
  for (std::size_t s = 0; s < series; ++s) {
    for (std::size_t w = 0; w < windows; ++w) {
      WindowErrors& own = drawn.emplace_back(WindowErrors{s, {}});
      const double factor = size(s, random);
      for (int i = 0; i < 24; ++i) own.z.push_back(factor * random.normal());
    }
  }
  return drawn;
}

double hard_or_easy(std::size_t series, base::Random&) { return series % 2 == 0 ? 2 : 0.5; }

TEST(SeriesWidths, SeriesThatDifferGetFactorsOfTheirOwn) {
  const SeriesWidths widths = widths_by(draw_windows(60, 3, hard_or_easy), 60);
  for (std::size_t s = 0; s < 60; ++s) EXPECT_NEAR(widths.of_series[s], s % 2 == 0 ? 2 : 0.5, s % 2 == 0 ? 0.6 : 0.15);
  for (const double scale : widths.band_scales) EXPECT_NEAR(scale, 1, 0.12);
}

TEST(SeriesWidths, WindowsThatDifferByChanceAreNoReasonForAny) {
  const auto by_chance = [](std::size_t, base::Random& random) { return random.uniform() < 0.5 ? 2.0 : 0.5; };
  const SeriesWidths widths = widths_by(draw_windows(200, 3, by_chance), 200);
  for (const double factor : widths.of_series) {
    EXPECT_GT(factor, 0.6);
    EXPECT_LT(factor, 1.6);
  }
  // Half of the errors are four times as large as the others: bands of 95 % are wider than the deviations say, and hold
  // their share of windows that nobody has seen.
  double inside = 0, count = 0;
  base::Random random(99);
  for (std::size_t i = 0; i < 100000; ++i) {
    const double z = by_chance(0, random) * random.normal();
    inside += std::abs(z) <= kLevels[2].deviations * widths.of_series[i % 200] * widths.band_scales[2] ? 1 : 0;
    count += 1;
  }
  EXPECT_NEAR(inside / count, 0.95, 0.015);
}

TEST(SeriesWidths, OneWindowSaysNothingAboutASeries) {
  const SeriesWidths widths = widths_by(draw_windows(60, 1, hard_or_easy), 60);
  for (const double factor : widths.of_series) EXPECT_EQ(factor, 1);
  EXPECT_GT(widths.band_scales[2], 1.2);
}

TEST(SeriesWidths, AFewSeriesHaveNone) {
  const SeriesWidths widths = widths_by(draw_windows(4, 10, hard_or_easy), 5);
  ASSERT_EQ(widths.of_series.size(), 5U);
  for (const double factor : widths.of_series) EXPECT_EQ(factor, 1);
}

TEST(SeriesWidths, SeriesWithoutWindowsOrErrorsAreHarmless) {
  std::vector<WindowErrors> windows = draw_windows(60, 3, hard_or_easy);
  for (double& z : windows[0].z) z = 0;
  windows[3].z.assign(24, 1e300);
  const SeriesWidths widths = widths_by(windows, 61);
  EXPECT_EQ(widths.of_series[60], 1);
  for (const double factor : widths.of_series) EXPECT_TRUE(std::isfinite(factor) && factor > 0);
  EXPECT_EQ(widths_by({}, 0).band_scales, kPlainBands);
}

}  // namespace
}  // namespace cmanp::measures
