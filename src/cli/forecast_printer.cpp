#include "cli/forecast_printer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

namespace cmanp::cli {
namespace {

std::vector<std::size_t> likeliest(const std::vector<double>& probabilities, std::size_t count) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return probabilities[a] != probabilities[b] ? probabilities[a] > probabilities[b] : a < b;
                    });
  order.resize(count);
  return order;
}

// A field of CSV: in quotes where it has to be.
std::string field(const std::string& text) {
  return text.find(',') == std::string::npos ? text : fmt::format("\"{}\"", text);
}

}  // namespace

void ForecastPrinter::print_header(bool named) {
  named_ = named;
  if (options_.json) return;
  output_.text(named ? "sequence,events,mean,median,low,high" : "events,mean,median,low,high");
  if (options_.horizon > 0) output_.text(",within");
  const std::size_t marks = std::min(options_.top, model_.mark_names().size());
  for (std::size_t i = 1; i <= marks; ++i) {
    output_.text(marks == 1 ? std::string(",mark,probability") : fmt::format(",mark{},probability{}", i, i));
  }
  output_.text("\n");
}

void ForecastPrinter::print(const std::string& sequence, std::uint64_t events, const EventForecast& forecast) {
  const LogNormalMixture& gap = forecast.gap;
  const auto rounded = [](double value) { return with_digits(value, Digits::of_float); };
  const double mean = rounded(gap.mean_up_to(model_.longest_gap())), median = rounded(gap.quantile(0.5));
  const double low = rounded(gap.quantile((1 - options_.interval) / 2));
  const double high = rounded(gap.quantile((1 + options_.interval) / 2));
  const double within = options_.horizon > 0 ? rounded(gap.cdf(options_.horizon)) : 0;
  const std::vector<std::size_t> top = likeliest(forecast.marks, options_.top);
  if (!options_.json) {
    if (named_) output_.text(field(sequence) + ",");
    output_.text(std::to_string(events) + ",");
    output_.numbers(std::vector{mean, median, low, high});
    if (options_.horizon > 0) output_.text(fmt::format(",{}", within));
    for (const std::size_t mark : top) {
      output_.text(fmt::format(",{},{}", field(model_.mark_names()[mark]), rounded(forecast.marks[mark])));
    }
    return output_.text("\n");
  }
  nlohmann::ordered_json line;
  if (named_) line["sequence"] = sequence;
  line["events"] = events;
  line["mean"] = mean;
  line["median"] = median;
  line["interval"] = {low, high};
  if (options_.horizon > 0) line["within"] = within;
  if (!forecast.marks.empty()) line["marks"] = nlohmann::ordered_json::array();
  for (const std::size_t mark : top) {
    line["marks"].push_back({{"mark", model_.mark_names()[mark]}, {"probability", rounded(forecast.marks[mark])}});
  }
  output_.text(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace cmanp::cli
