// Rivals, measures and the report of who is ahead.
#include <gtest/gtest.h>

#include <cmanp/error.hpp>
#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "forecasts/chart.hpp"
#include "forecasts/earlier.hpp"
#include "forecasts/lowest.hpp"
#include "forecasts/mixture.hpp"
#include "forecasts/report.hpp"
#include "forecasts/row_rivals.hpp"
#include "forecasts/seasonal_profile.hpp"

namespace cmanp::forecasts {
namespace {

// A day of 24 steps over a slow trend, with noise.
data::Series daily(std::size_t length, double noise) {
  base::Random random(5);
  data::Series series{"g", "y", {}, {}};
  for (std::size_t i = 0; i < length; ++i) {
    const auto t = static_cast<double>(i);
    series.x.push_back(t);
    series.values.push_back(10 + 3 * std::sin(2 * std::numbers::pi * t / 24) + noise * random.normal());
  }
  return series;
}

data::Window window_of(const data::Series& series, std::size_t context, std::size_t targets) {
  data::Window window{&series, series.x[context - 1], {}, {}};
  for (std::size_t i = 0; i < context; ++i) window.context.push_back(i);
  for (std::size_t i = context; i < context + targets; ++i) window.targets.push_back(i);
  return window;
}

const Rival& named(const std::vector<Rival>& all, const std::string& name) {
  return *std::find_if(all.begin(), all.end(), [&](const Rival& rival) { return rival.name == name; });
}

TEST(Rivals, SayWhatTheyAreNamedFor) {
  const data::Series series = daily(120, 0.01);
  const data::Window window = window_of(series, 72, 30);
  const std::vector<Rival> all = rivals(1, 24);
  const Forecast last = named(all, "last value").answer(window), season = named(all, "last season").answer(window);
  EXPECT_EQ(last.mean[0], series.values[71]);
  EXPECT_EQ(last.mean[29], series.values[71]);
  EXPECT_GT(last.std[29], last.std[0]);
  EXPECT_EQ(season.mean[0], series.values[48]);
  EXPECT_EQ(season.mean[24], series.values[48]);  // two seasons back: one is not known yet
  EXPECT_NEAR(season.std[24], season.std[0] * std::sqrt(2), 1e-12);
  const Forecast climate = named(all, "climatology").answer(window), smooth = named(all, "smoother").answer(window);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_NEAR(climate.mean[i], series.values[72 + i], 0.1);
    EXPECT_NEAR(smooth.mean[i], series.values[72 + i], 0.1);
  }
  EXPECT_EQ(rivals(1, 0).size(), 5U);  // none by seasons
}

// Rows of two inputs, of which the second says nothing.
TEST(RowRivals, SayWhatTheyAreNamedFor) {
  base::Random random(5);
  data::Series series{"", "y", {}, {}};
  for (std::size_t i = 0; i < 60; ++i) {
    const float u = static_cast<float>(random.normal()), v = static_cast<float>(random.normal());
    series.x.push_back(static_cast<double>(i));
    series.known.insert(series.known.end(), {u, v});
    series.values.push_back(7 + 3 * static_cast<double>(u) + 0.1 * random.normal());
  }
  // The last row is the tenth once more, but for its value.
  std::copy_n(series.known.begin() + 18, 2, series.known.end() - 2);
  const data::Window window = window_of(series, 50, 10);
  const std::vector<Rival> all = row_rivals();
  const Forecast mean = named(all, "mean").answer(window), nearest = named(all, "nearest").answer(window);
  const Forecast regression = named(all, "regression").answer(window);
  EXPECT_NEAR(mean.mean[0], 7, 1.5);
  EXPECT_NEAR(mean.std[0], 3, 1);
  EXPECT_EQ(nearest.mean[9], series.values[9]);
  EXPECT_LT(nearest.std[0], mean.std[0]);
  EXPECT_NEAR(regression.std[0], 0.1, 0.05);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(regression.mean[i], series.values[50 + i], 0.4);
  // One row is enough to have an answer, and so are rows that are all the same.
  data::Window few = window_of(series, 2, 3);
  few.context = {0};
  for (const Rival& rival : all) {
    const Forecast answer = rival.answer(few);
    EXPECT_TRUE(std::isfinite(answer.mean[0])) << rival.name;
    EXPECT_GT(answer.std[0], 0) << rival.name;
  }
}

TEST(Rivals, AGaussianProcessFindsTheSeasonAndItsNoise) {
  const data::Series series = daily(220, 0.3);
  const data::Window window = window_of(series, 168, 48);
  const Forecast found = named(rivals(1, 24), "gp").answer(window);
  double squares = 0;
  for (std::size_t i = 0; i < 48; ++i) {
    const double truth = 10 + 3 * std::sin(2 * std::numbers::pi * static_cast<double>(168 + i) / 24);
    squares += (found.mean[i] - truth) * (found.mean[i] - truth) / 48;
    EXPECT_NEAR(found.std[i], 0.3, 0.1) << i;
  }
  EXPECT_LT(std::sqrt(squares), 0.15);
  // Without a season it does not know what comes, and says so.
  const Forecast blind = named(rivals(1, 0), "gp").answer(window);
  EXPECT_GT(blind.std[47], 1.5);
}

TEST(Rivals, AGaussianProcessFillsGapsOfSmoothSeries) {
  data::Series series = daily(48, 0);
  data::Window window{&series, 47, {}, {}};
  for (std::size_t i = 0; i < 48; ++i) (i % 3 == 1 ? window.targets : window.context).push_back(i);
  const Forecast found = named(rivals(1, 0), "gp").answer(window);
  for (std::size_t i = 0; i < window.targets.size(); ++i) {
    EXPECT_NEAR(found.mean[i], series.values[window.targets[i]], 0.1) << i;
    EXPECT_LT(found.std[i], 0.3) << i;
  }
}

TEST(Rivals, AreChosenByName) {
  const auto names = [](const std::string& wanted) {
    std::string all;
    for (const Rival& rival : chosen(rivals(1, 24), wanted)) all += rival.name + ";";
    return all;
  };
  EXPECT_EQ(names(""), "last value;last season;linear;climatology;smoother;gp;");
  EXPECT_EQ(names("gp, last season"), "gp;last season;");
  EXPECT_EQ(names("none"), "");
  try {
    names("smother");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "no rival \"smother\" (did you mean \"smoother\"?); there are last value, last season, linear, "
              "climatology, smoother, gp, or none");
  }
}

TEST(Rivals, TheLineFillsGaps) {
  const data::Series series{"g", "y", {0, 1, 2, 3, 4}, {0, 10, 99, 30, 40}};
  const data::Window window{&series, 4, {0, 1, 3, 4}, {2}};
  EXPECT_DOUBLE_EQ(named(rivals(1, 0), "linear").answer(window).mean[0], 20);
}

TEST(Rivals, AnswerWhateverTheContext) {
  for (const std::vector<double>& values :
       {std::vector<double>{5, 5, 5, 5}, {0, 0, 0, 0}, {1e300, -1e300, 0, 1}, {1, 2, 3, 4}}) {
    const data::Series series{"g", "y", {0, 1, 7, 8}, values};
    for (const Rival& rival : rivals(1, 3)) {
      const Forecast answer = rival.answer(window_of(series, 2, 2));
      for (const double std : answer.std) EXPECT_GT(std, 0) << rival.name;
    }
  }
}

TEST(SeasonalProfile, IsWhatComesAgain) {
  data::Series series = daily(120, 0);
  std::vector<double> rising(series.values.begin(), series.values.end());
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] += 0.1 * static_cast<double>(i);  // a slope is none of it
  series.values = rising;
  const data::Window window = window_of(series, 72, 30);
  const SeasonalProfile profile(window, 1, 24);
  for (std::size_t i = 72; i < 102; ++i) {
    const auto t = static_cast<double>(i);
    EXPECT_NEAR(profile.at(t), 3 * std::sin(2 * std::numbers::pi * t / 24), 1e-9) << i;
  }
  EXPECT_DOUBLE_EQ(profile.widening(), std::sqrt(2));  // three seasons
  for (const double season : {0.0, 40.0}) {            // none, or not twice there
    const SeasonalProfile flat(window, 1, season);
    EXPECT_EQ(flat.at(80), 0);
    EXPECT_EQ(flat.widening(), 1);
  }
}

// Passengers: swings grow with the level.
TEST(SeasonalProfile, IsAShareOfTheLevelWhereSwingsGrowWithIt) {
  for (const bool grows : {true, false}) {
    data::Series series{"g", "y", {}, {}};
    for (std::size_t i = 0; i < 84; ++i) {
      const auto t = static_cast<double>(i);
      const double level = 100 + 5 * t, wave = std::sin(2 * std::numbers::pi * t / 12);
      series.x.push_back(t);
      series.values.push_back(grows ? level * (1 + 0.3 * wave) : level + 30 * wave);
    }
    const data::Window window = window_of(series, 72, 12);
    const SeasonalProfile season(window, 1, 12);
    EXPECT_EQ(season.factor(73) != 1, grows);
    for (const std::size_t i : window.targets) {
      const double t = series.x[i], level = 100 + 5 * t;
      EXPECT_NEAR(season.with(t, level), series.values[i], 0.03 * level);
      EXPECT_NEAR(season.without(t, season.with(t, level)), level, 1e-9);
    }
  }
}

TEST(Lowest, IsZeroOfCountsAndOfWhatWasThere) {
  const auto lowest = [](std::vector<double> values) {
    data::Series series{"g", "y", {}, {}};
    for (const double value : values) series.values.push_back(value);
    return lowest_of(series);
  };
  EXPECT_EQ(lowest({3, 5, NAN, 4}), 0);
  EXPECT_EQ(lowest({0, 0.5, 2.25}), 0);
  EXPECT_LT(lowest({0.5, 2.25}), -1e300);  // degrees, perhaps
  EXPECT_LT(lowest({-1, 0, 1}), -1e300);
  EXPECT_LT(lowest({}), -1e300);
}

TEST(Scores, AreWhatTheyAreDefinedToBe) {
  const data::Series series{"g", "y", {0, 1, 2, 3, 4, 5}, {0, 2, 1, 3, 10, 20}};
  const data::Window window = window_of(series, 4, 2);
  const Score score = score_of(window, {{12, 20}, {1, 2}}, 1, 2);
  EXPECT_DOUBLE_EQ(score.mae, 1);
  EXPECT_DOUBLE_EQ(score.rmse, std::sqrt(2));
  EXPECT_DOUBLE_EQ(score.mase, 1);  // |1 - 0| and |3 - 2| a season of two apart
  EXPECT_DOUBLE_EQ(score.smape, 0.5 * 200 * 2 / 22);
  const double half = 1.959963984540054;
  EXPECT_NEAR(score.msis, 0.5 * (2 * half + 40 * (2 - half)) + 0.5 * 4 * half, 1e-12);
  EXPECT_EQ(score.coverage, (std::array<double, 3>{0.5, 0.5, 0.5}));
  EXPECT_NEAR(score.log_likelihood, 0.5 * (-2 - std::log(2.0)) - 0.5 * std::log(2 * std::numbers::pi), 1e-12);
  // CRPS of a standard normal at its mean: (sqrt(2) - 1) / sqrt(pi); at two deviations: 1.4528…
  const double at_mean = (std::sqrt(2.0) - 1) / std::sqrt(std::numbers::pi);
  EXPECT_NEAR(score.crps, 0.5 * 2 * at_mean + 0.5 * 1.4527932, 1e-6);
}

TEST(Scores, SummariesHaveStandardErrors) {
  Score a, b;
  a.mae = 1;
  b.mae = 3;
  a.rmse = 1;
  b.rmse = 3;
  const Summary summary = summarise({a, b});
  EXPECT_DOUBLE_EQ(summary.mean.mae, 2);
  EXPECT_DOUBLE_EQ(summary.standard_error.mae, 1);
  EXPECT_DOUBLE_EQ(summary.mean.rmse, std::sqrt(5));
}

TEST(Report, SaysPlainlyWhenARivalIsBetter) {
  const data::Series series = daily(120, 0.01);
  const std::vector<data::Window> windows{window_of(series, 72, 24)};
  Judgement judgement;
  judgement.title = "model on <data>";
  judgement.windows = &windows;
  const Forecast poor{std::vector<double>(24, 50), std::vector<double>(24, 0.1)};
  judgement.contenders.push_back(contender("cmanp", "the model", {poor}, windows, 1, 24));
  for (const Rival& rival : rivals(1, 24)) {
    judgement.contenders.push_back(contender(rival.name, rival.what, {rival.answer(windows[0])}, windows, 1, 24));
  }
  const std::vector<std::string> sentences = verdict(judgement);
  EXPECT_TRUE(sentences[0].starts_with("A rival is better in crps")) << sentences[0];
  EXPECT_NE(sentences[5].find("too narrow"), std::string::npos) << sentences[5];
  EXPECT_TRUE(sentences.back().starts_with("One window says little")) << sentences.back();
  const std::string html = html_of(judgement);
  EXPECT_NE(html.find("model on &lt;data&gt;"), std::string::npos);
  EXPECT_NE(html.find("A rival is better"), std::string::npos);
  EXPECT_EQ(html.find("src="), std::string::npos);  // needs nothing else
  EXPECT_EQ(html.find("nan"), std::string::npos);
  std::swap(judgement.contenders[0], judgement.contenders.back());  // the smoother
  EXPECT_TRUE(verdict(judgement)[0].starts_with("The model is ahead in crps")) << verdict(judgement)[0];
}

TEST(Report, DoesNotTakeChanceForADifference) {
  const data::Series series = daily(400, 0.01);
  std::vector<data::Window> windows;
  for (const std::size_t begin : {72, 120, 168, 216, 264, 312}) windows.push_back(window_of(series, begin, 24));
  const auto wrong_by = [&](double low, double high) {  // in turns
    std::vector<Forecast> forecasts;
    for (std::size_t w = 0; w < windows.size(); ++w) {
      forecasts.push_back({{}, std::vector<double>(24, 1)});
      for (const std::size_t i : windows[w].targets) {
        forecasts.back().mean.push_back(series.values[i] + (w % 2 == 0 ? low : high));
      }
    }
    return forecasts;
  };
  Judgement judgement;
  judgement.windows = &windows;
  judgement.contenders.push_back(contender("cmanp", "the model", wrong_by(1, 2), windows, 1, 24));
  judgement.contenders.push_back(contender("rival", "another", wrong_by(2, 1.01), windows, 1, 24));
  EXPECT_TRUE(verdict(judgement)[0].starts_with("No clear difference in crps")) << verdict(judgement)[0];
  judgement.contenders[1] = contender("rival", "another", wrong_by(0.5, 1.5), windows, 1, 24);
  EXPECT_TRUE(verdict(judgement)[0].starts_with("A rival is better in crps")) << verdict(judgement)[0];
}

TEST(Report, PicturesOfGapsLiftThePen) {
  const data::Series series = daily(10, 0.01);
  data::Window window{&series, 8, {0, 1, 2, 4, 5, 7}, {3, 6, 8, 9}};
  const Forecast forecast{std::vector<double>(4, 1), std::vector<double>(4, 1)};
  const std::string svg = picture_of(window, forecast, "gaps", "x", {});
  const auto count = [&](const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("Z\" fill"), 2U) << svg;            // what follows: two bands
  EXPECT_EQ(count("stroke-width=\"6\""), 4U) << svg;  // two points between: two bands each, as bars
  EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
}

TEST(Earlier, AsksForWhatHasComeSince) {
  const data::Series series = daily(40, 0.01);
  data::Window window{&series, 0, {}, {}};
  for (std::size_t i = 0; i < 30; ++i) window.context.push_back(i);
  for (std::size_t i = 30; i < 35; ++i) window.targets.push_back(i);
  const std::vector<data::Window> earlier = earlier_ones(window);
  ASSERT_EQ(earlier.size(), 3U);  // half of what is known is left to go by
  EXPECT_EQ(earlier[0].targets, (std::vector<std::size_t>{25, 26, 27, 28, 29}));
  EXPECT_EQ(earlier[2].context.size(), 15U);
  for (const data::Window& one : earlier) EXPECT_EQ(one.context.back() + 1, one.targets.front());
  window.targets = {10};
  EXPECT_TRUE(earlier_ones(window).empty());  // it fills in
  window.targets = {35};
  window.context.resize(8);
  EXPECT_TRUE(earlier_ones(window).empty());
}

TEST(Earlier, AFewForecastsSayLittleAndManySayWhatIsUsual) {
  EXPECT_NEAR(widths_by({{0, 0}})[0], std::sqrt(1.5), 1e-12);
  const std::vector<double> one = widths_by({{3 * 9.0, 3}});
  EXPECT_GT(one[0], 2);
  EXPECT_LT(one[0], 3);
  std::vector<EarlierErrors> many(1000, {3 * 0.25, 3});
  many.push_back({0, 0});
  EXPECT_NEAR(widths_by(many)[0], 0.5, 0.01);
  EXPECT_NEAR(widths_by(many).back(), 0.5, 0.01);  // of which nothing else is known
}

TEST(Mixture, IsAsWideAsItsPartsAndTheirDisagreement) {
  const std::vector<Forecast> answers{{{1, 5}, {3, 0.5}, {1, 1, 2}}, {{3, 5}, {4, 0.5}, {1, 2, 4}}};
  const Forecast mixed = mixture(answers);
  EXPECT_EQ(mixed.mean, (std::vector<double>{2, 5}));
  EXPECT_DOUBLE_EQ(mixed.std[0], std::sqrt((9 + 16) / 2.0 + 1));
  EXPECT_DOUBLE_EQ(mixed.std[1], 0.5);
  EXPECT_EQ(mixed.band_scales, (measures::BandScales{1, 1.5, 3}));
  EXPECT_EQ(mixture(std::span(answers).first(1)).mean, answers[0].mean);
}

TEST(Chart, DrawsWhateverItIsGiven) {
  for (const std::vector<double>& y : {std::vector<double>{}, {1}, {std::nan(""), 2}, {3, 3}, {-1e300, 1e300}}) {
    Chart chart;
    chart.lines.push_back({"a", "#000", std::vector<double>(y.size(), 1), y});
    EXPECT_TRUE(svg_of(chart).ends_with("</svg>\n"));
  }
}

}  // namespace
}  // namespace cmanp::forecasts
