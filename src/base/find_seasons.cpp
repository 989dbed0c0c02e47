#include "base/find_seasons.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "base/median.hpp"
#include "base/spectrum.hpp"

namespace cmanp::base {
namespace {

constexpr std::size_t kLeastPlaces = 48, kMostPlaces = 2048;  // above, means of neighbours stand for them
constexpr std::size_t kMostSeasons = 2, kPeaks = 8, kMultiples = 4;
constexpr std::size_t kMostWaves = 12, kPointsAWave = 12;
constexpr std::size_t kFolds = 3;  // the first, the middle and the last part of the time
// What a season has to explain of the swings in parts that it was not fitted to: more of few periods, which chance
// makes.
constexpr double kLeastShare = 0.45, kShareOfOnePeriod = 0.75, kLeastShareOfAPart = 0.2;
constexpr double kWorthALongerOne = 0.04;
constexpr double kWorthALook = 0.2;
constexpr double kRidge = 1;
constexpr double kOutlier = 5;        // robust deviations
constexpr double kWholeSteps = 0.15;  // of what the length tells apart: a period so near to whole steps is that

struct Points {
  std::vector<double> x, y;  // x ascends

  std::size_t size() const { return x.size(); }
  double width() const { return x.back() - x.front(); }
};

Points sorted_points(std::span<const double> x, std::span<const double> y) {
  std::vector<std::pair<double, double>> pairs;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (std::isfinite(x[i]) && std::isfinite(y[i])) pairs.emplace_back(x[i], y[i]);
  }
  std::sort(pairs.begin(), pairs.end());
  const std::size_t each = (pairs.size() + kMostPlaces - 1) / kMostPlaces;
  Points points;
  for (std::size_t i = 0; i < pairs.size(); i += each) {
    const std::size_t end = std::min(i + each, pairs.size());
    const auto count = static_cast<double>(end - i);
    double place = 0, value = 0;
    for (std::size_t j = i; j < end; ++j) {
      place += pairs[j].first / count;
      value += pairs[j].second / count;
    }
    points.x.push_back(place);
    points.y.push_back(value);
  }
  return points;
}

// What is between neighbours, typically, and whether all of them are whole multiples of that.
struct Steps {
  double step = 0;  // 0: too few places
  bool regular = true;

  explicit Steps(const std::vector<double>& x) {
    std::vector<double> gaps;
    for (std::size_t i = 1; i < x.size(); ++i) {
      if (x[i] > x[i - 1]) gaps.push_back(x[i] - x[i - 1]);
    }
    if (gaps.size() + 1 < kLeastPlaces) return;
    step = median(gaps);
    for (const double gap : gaps) regular &= std::abs(gap / step - std::round(gap / step)) < 0.01;
  }
};

// Less the mean over one period about each, or over the first or last one at the ends; outliers are brought near.
std::vector<double> swings(const Points& points, double period) {
  std::vector<double> sums{0};
  for (const double y : points.y) sums.push_back(sums.back() + y);
  const std::vector<double>& x = points.x;
  std::vector<double> rest(points.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    // From a little before, so that what lies at the edge is in it once whatever rounding does.
    const double from =
        std::clamp(x[i] - 0.5 * period, x.front(), std::max(x.front(), x.back() - period)) - 1e-6 * period;
    const auto low = static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), from) - x.begin());
    const auto high =
        std::max(low + 1, static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), from + period) - x.begin()));
    rest[i] = points.y[i] - (sums[high] - sums[low]) / static_cast<double>(high - low);
  }
  const double middle = median(rest);
  std::vector<double> distances = rest;
  for (double& one : distances) one = std::abs(one - middle);
  const double most = kOutlier * 1.4826 * median(std::move(distances));
  if (most > 0) {
    for (double& one : rest) one = std::clamp(one, middle - most, middle + most);
  }
  return rest;
}

constexpr std::size_t kMostTerms = 2 * kMostWaves;
using Vector = std::array<double, kMostTerms>;
using Matrix = std::array<Vector, kMostTerms>;  // lower half

// Least squares of swings by waves: cosine and sine of the first, then of the second, and so on.
struct Sums {
  Matrix products{};
  Vector with_swings{};
  double square = 0;  // of the swings
  std::size_t count = 0;

  void add(const Vector& waves, std::size_t terms, double swing) {
    for (std::size_t i = 0; i < terms; ++i) {
      for (std::size_t j = 0; j <= i; ++j) products[i][j] += waves[i] * waves[j];
      with_swings[i] += waves[i] * swing;
    }
    square += swing * swing;
    count += 1;
  }

  Sums& operator+=(const Sums& other) {
    for (std::size_t i = 0; i < kMostTerms; ++i) {
      for (std::size_t j = 0; j <= i; ++j) products[i][j] += other.products[i][j];
      with_swings[i] += other.with_swings[i];
    }
    square += other.square;
    count += other.count;
    return *this;
  }

  // The weights of so many terms, a little shrunk.
  Vector solve(std::size_t terms) const {
    Matrix factor{};
    Vector weights{};
    for (std::size_t i = 0; i < terms; ++i) {
      double value = with_swings[i];
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = products[i][j] + (i == j ? kRidge : 0);
        for (std::size_t k = 0; k < j; ++k) sum -= factor[i][k] * factor[j][k];
        factor[i][j] = i == j ? std::sqrt(sum) : sum / factor[j][j];
        if (j < i) value -= factor[i][j] * weights[j];
      }
      weights[i] = value / factor[i][i];
    }
    for (std::size_t i = terms; i-- > 0;) {
      for (std::size_t k = i + 1; k < terms; ++k) weights[i] -= factor[k][i] * weights[k];
      weights[i] /= factor[i][i];
    }
    return weights;
  }

  double squared_error(const Vector& weights, std::size_t terms) const {
    double error = square;
    for (std::size_t i = 0; i < terms; ++i) {
      error -= 2 * weights[i] * with_swings[i];
      for (std::size_t j = 0; j < i; ++j) error += 2 * weights[i] * weights[j] * products[i][j];
      error += weights[i] * weights[i] * products[i][i];
    }
    return std::max(error, 0.0);
  }
};

using Folds = std::array<Sums, kFolds>;

Folds sums_of(const Points& points, double period, std::size_t terms) {
  const std::vector<double> rest = swings(points, period);
  Folds folds;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double from_start = points.x[i] - points.x.front();
    const std::complex<double> once = std::polar(1.0, 2 * std::numbers::pi * from_start / period);
    std::complex<double> wave = 1;
    Vector waves{};
    for (std::size_t k = 0; k < terms; k += 2) {
      wave *= once;
      waves[k] = wave.real();
      waves[k + 1] = wave.imag();
    }
    const auto fold = static_cast<std::size_t>(from_start / points.width() * kFolds);
    folds[std::min(fold, kFolds - 1)].add(waves, terms, rest[i]);
  }
  return folds;
}

Sums all_of(const Folds& folds) {
  Sums all;
  for (const Sums& fold : folds) all += fold;
  return all;
}

// How much of a part's swings the other parts predict: of all, and of the worst part.
struct Predicted {
  double share = 0, worst = 0;
};

Predicted predicted(const Folds& folds, std::size_t terms) {
  double errors = 0, squares = 0, worst = 1;
  for (std::size_t f = 0; f < kFolds; ++f) {
    Sums others;
    for (std::size_t o = 0; o < kFolds; ++o) {
      if (o != f) others += folds[o];
    }
    if (folds[f].count < 2 || others.count < 2 * terms || !(folds[f].square > 0)) return {};
    const double error = folds[f].squared_error(others.solve(terms), terms);
    errors += error;
    squares += folds[f].square;
    worst = std::min(worst, 1 - error / folds[f].square);
  }
  return {1 - errors / squares, worst};
}

class Search {
 public:
  Search(const Points& points, const Steps& steps, const std::vector<Season>& found)
      : points_(points), steps_(steps), found_(found) {}

  std::optional<Season> best() const {
    struct Found {
      double period = 0;
      std::size_t terms = 0;
      Predicted predicted;
    } best;
    double last = 0;
    for (const double candidate : candidates()) {
      if (candidate - last < 0.1 * candidate * candidate / points_.width()) continue;  // nearly the one before
      last = candidate;
      const std::size_t few = std::min<std::size_t>(4, most_terms(candidate));
      if (predicted(sums_of(points_, candidate, few), few).share < kWorthALook) continue;
      const double period = refined(candidate, few);
      const Folds folds = sums_of(points_, period, most_terms(period));
      for (std::size_t terms = 2; terms <= most_terms(period); terms += 2) {
        const Predicted how = predicted(folds, terms);
        const double least = kLeastShare + kShareOfOnePeriod * period / points_.width();
        const double beat = best.predicted.share + (period == best.period ? 0 : kWorthALongerOne);
        if (how.share < least || how.worst < kLeastShareOfAPart || (best.terms > 0 && how.share < beat)) continue;
        best = {period, terms, how};
      }
    }
    if (best.terms == 0) return {};
    return fitted(best.period, best.terms, best.predicted);
  }

 private:
  double longest() const { return points_.width() / kFolds; }

  bool there_is(double period) const {
    return std::any_of(found_.begin(), found_.end(),
                       [&](const Season& season) { return std::abs(season.period - period) < 0.05 * period; });
  }

  std::vector<double> candidates() const {
    std::vector<double> periods;
    for (const double peak : spectral_peaks(points_.x, points_.y, 2 * steps_.step, longest(), kPeaks)) {
      for (std::size_t times = 1; times <= kMultiples; ++times) {
        const double period = static_cast<double>(times) * peak;
        if (period <= longest() && !there_is(period)) periods.push_back(period);
      }
    }
    std::sort(periods.begin(), periods.end());
    return periods;
  }

  // As many waves as the steps resolve and the points can tell.
  std::size_t most_terms(double period) const {
    const auto resolved = static_cast<std::size_t>(period / (2 * steps_.step) + 1e-3);
    return 2 * std::clamp<std::size_t>(std::min(resolved, points_.size() / kPointsAWave), 1, kMostWaves);
  }

  double refined(double period, std::size_t terms) const {
    const double apart = period * period / points_.width();
    double width = 0.5 * apart, best = period, least = error_of(period, terms);
    for (int round = 0; round < 4; ++round, width /= 3) {
      const double middle = best;
      for (int side = -2; side <= 2; ++side) {
        const double other = middle + 0.5 * side * width;
        if (side == 0 || other < 2 * steps_.step || other > longest()) continue;
        const double error = error_of(other, terms);
        if (error < least) {
          least = error;
          best = other;
        }
      }
    }
    const double whole = std::round(best / steps_.step) * steps_.step;
    return steps_.regular && std::abs(best - whole) < kWholeSteps * apart ? whole : best;
  }

  double error_of(double period, std::size_t terms) const {
    const Sums all = all_of(sums_of(points_, period, terms));
    return all.squared_error(all.solve(terms), terms);
  }

  Season fitted(double period, std::size_t terms, const Predicted& how) const {
    const Sums all = all_of(sums_of(points_, period, terms));
    const Vector weights = all.solve(terms);
    Season season;
    season.period = period;
    season.origin = points_.x.front();
    for (std::size_t k = 0; k < terms; k += 2) {
      season.cosine.push_back(weights[k]);
      season.sine.push_back(weights[k + 1]);
    }
    const auto points = static_cast<double>(points_.size()), fitted = static_cast<double>(terms);
    const double by_number = (points + fitted) / (points - fitted);
    const double error = all.squared_error(weights, terms), elsewhere = (1 - how.share) * all.square;
    season.widening = std::sqrt(std::clamp(error > 0 ? elsewhere / error : 1.0, by_number, 4.0));
    return season;
  }

  const Points& points_;
  const Steps& steps_;
  const std::vector<Season>& found_;
};

}  // namespace

std::vector<Season> find_seasons(std::span<const double> x, std::span<const double> y) {
  std::vector<Season> seasons;
  Points points = sorted_points(x, y);
  const Steps steps(points.x);
  if (!(steps.step > 0) || !std::isfinite(points.width())) return seasons;
  // In units of their size, so that squares are finite.
  double size = 0;
  for (const double value : points.y) size = std::max(size, std::abs(value));
  if (!(size > 0)) return seasons;
  for (double& value : points.y) value /= size;
  while (seasons.size() < kMostSeasons) {
    const std::optional<Season> found = Search(points, steps, seasons).best();
    if (!found) break;
    for (std::size_t i = 0; i < points.size(); ++i) points.y[i] -= found->at(points.x[i]);
    seasons.push_back(*found);
  }
  for (Season& season : seasons) {
    for (std::vector<double>* part : {&season.cosine, &season.sine}) {
      for (double& weight : *part) weight *= size;
    }
  }
  return seasons;
}

}  // namespace cmanp::base
