#include "training/events/evaluate.hpp"

#include <cmanp/error.hpp>
#include <cmath>

#include "events/mixture.hpp"

namespace cmanp::training::events {
namespace {

using cmanp::events::LogNormalMixture;
using cmanp::events::MetricsSum;
using cmanp::events::ScoredEvent;

constexpr std::int64_t kTokens = 2048;  // a batch

std::vector<double> row_of(const torch::Tensor& matrix, std::int64_t row) {
  const double* from = matrix.data_ptr<double>() + row * matrix.size(1);
  return {from, from + matrix.size(1)};
}

torch::Tensor log_marks_of(const Answers& answers) {
  const auto wide = [](const torch::Tensor& t) { return t.defined() ? t.to(torch::kFloat64) : t; };
  return mark_log_probabilities({{}, wide(answers.marks), wide(answers.again), answers.recent}).contiguous();
}

// Rank and log probability of the mark that came.
void score_mark(const torch::Tensor& log_marks, std::int64_t row, std::uint32_t mark, ScoredEvent& scored) {
  const double* values = log_marks.data_ptr<double>() + row * log_marks.size(1);
  scored.log_mark = values[mark];
  for (std::int64_t m = 0; m < log_marks.size(1); ++m) {
    if (values[m] > scored.log_mark) ++scored.mark_rank;
  }
}

void score_batch(EventNetwork& network, const std::vector<const Sequence*>& sequences, const EventDomain& domain,
                 const Window& window, MetricsSum& sum) {
  const EventBatch batch = make_batch(sequences, domain, window, network.shape().recent_marks);
  if (batch.rows.numel() + batch.last_rows.numel() == 0) return;
  const Answers answers = network.forward(batch, torch::cat({batch.rows, batch.last_rows}));
  const torch::Tensor mixtures = answers.mixture.to(torch::kFloat64).contiguous();
  const torch::Tensor log_marks = answers.marks.defined() ? log_marks_of(answers) : torch::Tensor();
  const auto mixture = [&](std::int64_t row) {
    return cmanp::events::make_mixture(row_of(mixtures, row), domain.scale.log_mean, domain.scale.log_std);
  };
  std::int64_t row = 0, last = batch.rows.numel();
  for (const Sequence* sequence : sequences) {
    sum.begin_sequence(sequence);
    for (const cmanp::events::EventTime& time : event_times(*sequence, window)) {
      if (!time.has_gap) continue;
      const LogNormalMixture gap = mixture(row);
      const double length = time.gap > 0 ? time.gap : domain.scale.tie_gap;
      ScoredEvent scored{length, gap.log_density(length), gap.cdf(length), gap.mean_up_to(domain.scale.longest_gap), 0,
                         0};
      if (log_marks.defined()) score_mark(log_marks, row, sequence->marks[time.earlier], scored);
      sum.add(scored);
      ++row;
    }
    if (window.to && *window.to > sequence->times.back()) {
      sum.add_survival(mixture(last++).log_survival(*window.to - sequence->times.back()));
    }
  }
}

}  // namespace

cmanp::events::EventMetrics evaluate(EventNetwork& network, const std::vector<Sequence>& sequences,
                                     const EventDomain& domain, const Window& window,
                                     const std::function<bool(std::size_t, std::size_t)>& keep_going) {
  const torch::NoGradGuard no_grad;
  network.eval();
  MetricsSum sum;
  const auto plan = plan_evaluation(sequences, kTokens);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    score_batch(network, plan[i], domain, window, sum);
    if (!keep_going(i + 1, plan.size())) break;
  }
  return sum.finish();
}

std::optional<double> evaluate_nll(EventNetwork& network, const std::vector<Sequence>& sequences,
                                   const EventDomain& domain, const Window& window,
                                   const std::function<bool()>& should_stop) {
  const torch::NoGradGuard no_grad;
  network.eval();
  double sum = 0;
  std::int64_t events = 0;
  for (const auto& part : plan_evaluation(sequences, kTokens)) {
    if (should_stop()) return {};
    const EventBatch batch = make_batch(part, domain, window, network.shape().recent_marks);
    const std::int64_t count = batch.rows.numel();
    const torch::Tensor loss = event_loss(network, batch, torch::arange(count));
    if (!loss.defined()) continue;
    sum += loss.item<double>() * static_cast<double>(std::max<std::int64_t>(count, 1));
    // From the standardised log scale to time itself.
    sum += (batch.next_gaps.to(torch::kFloat64) * domain.scale.log_std + domain.scale.log_mean +
            std::log(domain.scale.log_std))
               .sum()
               .item<double>();
    events += count;
  }
  if (events == 0) throw Error("the validation part has no event to predict");
  return sum / static_cast<double>(events);
}

}  // namespace cmanp::training::events
