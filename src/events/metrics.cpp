#include "events/metrics.hpp"

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace cmanp::events {

void MetricsSum::end_sequence() {
  sums_.rmse_public += sequence_error_ * sequence_error_;
  sequence_error_ = 0;
}

void MetricsSum::begin_sequence(const Sequence* sequence) {
  end_sequence();
  ++sums_.sequences;
  sums_.by_sequence.push_back({sequence});
}

void MetricsSum::add(const ScoredEvent& event) {
  const double error = event.mean - event.gap;
  ++sums_.events;
  sums_.nll_time -= event.log_density;
  sums_.nll_mark -= event.log_mark;
  sums_.rmse += error * error;
  sequence_error_ += error;
  sums_.accuracy += event.mark_rank == 0 ? 1 : 0;
  sums_.top5 += event.mark_rank < 5 ? 1 : 0;
  sums_.transformed.push_back(event.cdf);
  ++sums_.by_sequence.back().events;
  sums_.by_sequence.back().nll -= event.log_density + event.log_mark;
}

void MetricsSum::add_survival(double log_survival) {
  sums_.nll_time -= log_survival;
  sums_.by_sequence.back().nll -= log_survival;
}

EventMetrics MetricsSum::finish() {
  end_sequence();
  if (sums_.events == 0) throw Error("there is no event to score: sequences of one event predict nothing");
  EventMetrics result = std::move(sums_);
  const auto n = static_cast<double>(result.events);
  result.nll_time /= n;
  result.nll_mark /= n;
  result.nll = result.nll_time + result.nll_mark;
  result.rmse = std::sqrt(result.rmse / n);
  result.rmse_public = std::sqrt(result.rmse_public / n);
  result.accuracy /= n;
  result.top5 /= n;
  std::vector<double>& u = result.transformed;
  std::sort(u.begin(), u.end());
  for (std::size_t i = 0; i < u.size(); ++i) {
    const auto place = static_cast<double>(i);
    result.ks = std::max({result.ks, u[i] - place / n, (place + 1) / n - u[i]});
    result.coverage50 += u[i] >= 0.25 && u[i] <= 0.75 ? 1 / n : 0;
    result.coverage90 += u[i] >= 0.05 && u[i] <= 0.95 ? 1 / n : 0;
  }
  sums_ = {};
  return result;
}

Lead lead_of(const EventMetrics& one, const EventMetrics& other) {
  std::unordered_map<const Sequence*, const EventMetrics::OfSequence*> others;
  for (const auto& sequence : other.by_sequence) others[sequence.sequence] = &sequence;
  double events = 0, sum = 0;
  std::vector<std::pair<double, double>> leads;  // events, and the lead in all of them
  for (const auto& sequence : one.by_sequence) {
    const auto found = others.find(sequence.sequence);
    if (found == others.end() || found->second->events != sequence.events) {
      throw std::invalid_argument("scores of other sequences");
    }
    leads.emplace_back(static_cast<double>(sequence.events), found->second->nll - sequence.nll);
    events += leads.back().first;
    sum += leads.back().second;
  }
  Lead lead{sum / events, {}};
  if (leads.size() < 2) return lead;
  double squares = 0;
  for (const auto& [count, nats] : leads) squares += (nats - count * lead.nats) * (nats - count * lead.nats);
  const auto n = static_cast<double>(leads.size());
  lead.error = std::sqrt(squares * n / (n - 1)) / events;
  return lead;
}

nlohmann::ordered_json to_json(const EventMetrics& metrics, bool marked) {
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json result{{"nll", metrics.nll}, {"nll_time", metrics.nll_time}};
  result["nll_mark"] = marked ? nlohmann::ordered_json(metrics.nll_mark) : nlohmann::ordered_json(nullptr);
  result["rmse"] = number(metrics.rmse);
  result["rmse_public_code"] = number(metrics.rmse_public);
  result["accuracy"] = marked ? nlohmann::ordered_json(metrics.accuracy) : nlohmann::ordered_json(nullptr);
  result["top5"] = marked ? nlohmann::ordered_json(metrics.top5) : nlohmann::ordered_json(nullptr);
  result["ks"] = metrics.ks;
  result["coverage50"] = metrics.coverage50;
  result["coverage90"] = metrics.coverage90;
  result["events"] = metrics.events;
  result["sequences"] = metrics.sequences;
  return result;
}

}  // namespace cmanp::events
