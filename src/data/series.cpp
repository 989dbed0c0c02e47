#include "data/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "data/decimal.hpp"
#include "data/role_columns.hpp"
#include "files/quote.hpp"

namespace cmanp::data {
namespace {

// A table with rows, in which no column is two things at once.
const DataTable& checked(const DataTable& table, const Roles& roles, const std::vector<KnownColumn>& known) {
  std::vector<std::string> names = roles.y;
  for (const KnownColumn& column : known) names.push_back(column.name);
  names.push_back(roles.x);
  if (!roles.group.empty()) names.push_back(roles.group);
  check_roles(table, std::move(names));
  return table;
}

// A few rows without a place, such as sums at a table's end, are left out.
const Column& nearly_whole(const DataTable& table, const std::string& name) {
  const Column& column = table.column(name);
  check_readable(table, column);
  return 20 * column.missing > table.rows() || table.packed() ? whole_column(table, name) : column;
}

constexpr std::size_t kMostSteps = std::size_t{1} << 22;

class SeriesMaker {
 public:
  SeriesMaker(const DataTable& table, const Roles& roles, std::vector<KnownColumn> known)
      : table_(checked(table, roles, known)),
        known_(table, (set_.known = std::move(known))),
        group_(roles.group.empty() ? nullptr : &whole_column(table, roles.group)),
        x_(nearly_whole(table, roles.x)) {
    if (x_.type == ColumnType::category) {
      throw Error(fmt::format("{}: column {} holds words, and cannot be an x; times are written as 2024-05-31T12:30",
                              table.where(0), files::quote(roles.x)));
    }
    for (const std::string& name : roles.y) y_.push_back(&column_of_values(table, name));
  }

  SeriesSet run() {
    set_.calendar = Calendar(x_);
    set_.packed = table_.packed();
    sort();
    const std::size_t rows = rows_.empty() ? table_.rows() : rows_.size();
    for (std::size_t begin = 0, end = 0; begin < rows; begin = end) {
      while (end < rows && same_group(row(begin), row(end))) ++end;
      take(begin, end);
    }
    if (20 * set_.merged > table_.rows()) {
      throw Error(fmt::format("{}: {} of {} rows have the {} of another row{}", first_merged_, set_.merged,
                              table_.rows(), files::quote(x_.name),
                              group_ == nullptr
                                  ? "; which column tells the groups apart? (--group NAME, or NAME+NAME of two; "
                                    "--x rows takes the rows in their order)"
                                  : " of their group; is it another column that tells them apart, or two? "
                                    "(--group NAME, NAME+NAME)"));
    }
    set_.check_unchanged();
    set_.step = typical_step();
    return std::move(set_);
  }

 private:
  bool same_group(std::size_t a, std::size_t b) const {
    return group_ == nullptr || group_->values[a] == group_->values[b];
  }

  // Rows by group and x. A packed table is in this order as it is, and a list of its rows might not fit into memory.
  void sort() {
    const auto key = [this](std::size_t row) {
      return std::pair(group_ == nullptr ? 0.0 : group_->values[row], x_.values[row]);
    };
    bool sorted = x_.missing == 0;
    for (std::size_t i = 1; sorted && i < table_.rows(); ++i) sorted = key(i - 1) <= key(i);
    if (sorted) return;
    rows_.resize(table_.rows());
    std::iota(rows_.begin(), rows_.end(), std::size_t{0});
    set_.without_x = std::erase_if(rows_, [this](std::size_t row) { return std::isnan(x_.values[row]); });
    std::stable_sort(rows_.begin(), rows_.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  }

  std::size_t row(std::size_t index) const { return rows_.empty() ? index : rows_[index]; }
  double place(std::size_t at) const { return set_.calendar.place(x_.values[at]); }

  // Rows of one group, at places [begin, end).
  void take(std::size_t begin, std::size_t end) {
    bool strict = true;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const double step = place(row(i)) - place(row(i - 1));
      if (step > 0) {
        add_step(step);
      } else {
        strict = false;
        if (set_.merged++ == 0) first_merged_ = table_.where(row(i));
      }
    }
    for (std::size_t column = 0; column < y_.size(); ++column) {
      const Column* y = y_[column];
      Series series{group_ == nullptr ? "" : group_name(*group_, group_->values[row(begin)]),
                    y->name,
                    {},
                    {},
                    {},
                    {},
                    {},
                    column};
      if (strict && in_file(*y, begin, end)) {
        series.x = x_.values.part(begin, end - begin);
        series.values = y->values.part(begin, end - begin);
        take_known(begin, end, series);
      } else {
        take_rows(*y, begin, end, series);
      }
      if (series.x.empty()) {
        ++set_.without_values;
      } else {
        set_.series.push_back(std::move(series));
      }
    }
  }

  // Whether a series of these rows is a part of a packed file as it is.
  bool in_file(const Column& y, std::size_t begin, std::size_t end) const {
    return rows_.empty() && y.values.mapped() && set_.calendar.keeps_values() &&
           std::none_of(y.values.begin() + begin, y.values.begin() + end,
                        [](double value) { return std::isnan(value); });
  }

  void take_known(std::size_t begin, std::size_t end, Series& series) const {
    if (set_.known.empty()) return;
    for (std::size_t i = begin; i < end; ++i) {
      known_.check(row(i));
      known_.append(row(i), series.known);
    }
  }

  // Those with a value; of several at one x, their mean.
  void take_rows(const Column& y, std::size_t begin, std::size_t end, Series& series) const {
    std::vector<double> places, values;
    std::size_t same = 1;  // values at the last x
    for (std::size_t i = begin; i < end; ++i) {
      const double x = place(row(i)), value = y.values[row(i)];
      if (std::isnan(value)) {
        series.missing.push_back(x);
        known_.append(row(i), series.known_of_missing);
      } else if (!places.empty() && places.back() == x) {
        ++same;
        values.back() += (value - values.back()) / static_cast<double>(same);
      } else {
        take_known(i, i + 1, series);
        places.push_back(x);
        values.push_back(value);
        same = 1;
      }
    }
    series.x = Values(std::move(places));
    series.values = Values(std::move(values));
  }

  // Of very many, every so manieth: what lies in the middle is hardly another.
  void add_step(double step) {
    if (seen_steps_++ % every_ != 0) return;
    steps_.push_back(step);
    if (steps_.size() < kMostSteps) return;
    for (std::size_t i = 0; i < steps_.size() / 2; ++i) steps_[i] = steps_[2 * i];
    steps_.resize(steps_.size() / 2);
    every_ *= 2;
  }

  double typical_step() {
    if (steps_.empty()) return 1;
    const auto middle = steps_.begin() + static_cast<std::ptrdiff_t>(steps_.size() / 2);
    std::nth_element(steps_.begin(), middle, steps_.end());
    return *middle;
  }

  SeriesSet set_;
  const DataTable& table_;
  const KnownReader known_;
  const Column* group_;
  const Column& x_;
  std::vector<const Column*> y_;
  std::vector<std::size_t> rows_;  // by place in order; empty: as they stand
  std::vector<double> steps_;
  std::size_t seen_steps_ = 0, every_ = 1;
  std::string first_merged_;
};

}  // namespace

SeriesSet series_of(const DataTable& table, const Roles& roles, std::vector<KnownColumn> known) {
  return SeriesMaker(table, roles, std::move(known)).run();
}

namespace {

struct Echo {
  double correlation = 0;
  std::size_t pairs = 0;
};

// How much changes from one step to the next go with those a season before, of the latest values.
std::optional<Echo> echo_of(const Series& series, double step, std::size_t season) {
  constexpr std::size_t kLatest = 2000;
  const std::size_t begin = series.x.size() - std::min(series.x.size(), kLatest);
  std::map<std::int64_t, double> changes;  // by the step that they lead to
  for (std::size_t i = begin + 1; i < series.x.size(); ++i) {
    const double steps = (series.x[i] - series.x[i - 1]) / step;
    if (std::abs(steps - 1) > 0.01) continue;
    changes[std::llround((series.x[i] - series.x[begin]) / step)] = series.values[i] - series.values[i - 1];
  }
  double products = 0, squares = 0;
  std::size_t pairs = 0;
  for (const auto& [place, change] : changes) {
    const auto before = changes.find(place - static_cast<std::int64_t>(season));
    if (before == changes.end()) continue;
    products += change * before->second;
    squares += 0.5 * (change * change + before->second * before->second);
    ++pairs;
  }
  if (pairs < std::max<std::size_t>(season, 8) || !(squares > 0)) return {};
  return Echo{products / squares, pairs};
}

// Whether it shows in the series, or none of them is long enough to tell.
bool shows(const SeriesSet& set, double season) {
  constexpr std::size_t kLooked = 64;
  constexpr double kLeast = 0.1, kErrors = 2.5;  // and what chance makes of so many pairs
  const std::size_t every = std::max<std::size_t>(1, set.series.size() / kLooked);
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < set.series.size(); i += every) {
    const auto echo = echo_of(set.series[i], set.step, static_cast<std::size_t>(std::lround(season)));
    if (!echo) continue;
    sum += echo->correlation * static_cast<double>(echo->pairs);
    pairs += static_cast<double>(echo->pairs);
  }
  return pairs == 0 || sum / pairs > kLeast + kErrors / std::sqrt(pairs);
}

}  // namespace

std::string usual_seasons(const SeriesSet& set) {
  std::string seasons;
  for (const std::string& season : split_list(set.calendar.usual_seasons(set.step))) {
    if (shows(set, parse_seasons(season).front())) seasons += (seasons.empty() ? "" : ",") + season;
  }
  return seasons;
}

std::vector<double> parse_seasons(const std::string& text) {
  std::vector<double> seasons;
  if (text == "none") return seasons;
  for (const std::string& entry : split_list(text)) {
    double season = 0;
    if (!parse_decimal(entry, season) || !std::isfinite(season) || !(season > 1)) {
      throw Error(fmt::format("season {} is not a number of steps above 1", files::quote(entry)));
    }
    seasons.push_back(season);
  }
  std::sort(seasons.begin(), seasons.end());
  return seasons;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> entries;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::size_t first = text.find_first_not_of(" \n", begin), last = text.find_last_not_of(" \n", end - 1);
    if (first < end && last != std::string::npos) entries.push_back(text.substr(first, last - first + 1));
    begin = end + 1;
  }
  return entries;
}

}  // namespace cmanp::data
