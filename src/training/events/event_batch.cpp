#include "training/events/event_batch.hpp"

#include <algorithm>
#include <span>

#include "events/recent_marks.hpp"
#include "events/time_scale.hpp"
#include "training/tasks/random.hpp"

namespace cmanp::training::events {
namespace {

using cmanp::events::kTimeFeatures;
using Plan = std::vector<std::vector<const Sequence*>>;

std::int64_t token_count(const Sequence& sequence) { return static_cast<std::int64_t>(sequence.times.size()) + 1; }

// Neighbours together, as long as all of them, filled up to the longest, stay within the budget.
void pack(std::span<const Sequence* const> sorted, std::int64_t tokens, Plan& plan) {
  std::int64_t longest = 0;
  std::vector<const Sequence*> batch;
  for (const Sequence* sequence : sorted) {
    const std::int64_t next = std::max(longest, token_count(*sequence));
    if (!batch.empty() && next * static_cast<std::int64_t>(batch.size() + 1) > tokens) {
      plan.push_back(std::move(batch));
      batch.clear();
    }
    longest = batch.empty() ? token_count(*sequence) : next;
    batch.push_back(sequence);
  }
  if (!batch.empty()) plan.push_back(std::move(batch));
}

std::vector<const Sequence*> pointers(const std::vector<Sequence>& sequences) {
  std::vector<const Sequence*> all;
  for (const Sequence& sequence : sequences) {
    if (!sequence.times.empty()) all.push_back(&sequence);
  }
  return all;
}

void sort_by_length(std::span<const Sequence*> part) {
  std::stable_sort(part.begin(), part.end(),
                   [](const Sequence* a, const Sequence* b) { return a->times.size() < b->times.size(); });
}

template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i)))]);
  }
}

template <typename T>
torch::Tensor tensor_of(const std::vector<T>& values) {
  return torch::tensor(values);
}

}  // namespace

EventBatch make_batch(const std::vector<const Sequence*>& sequences, const EventDomain& domain, const Window& window,
                      std::int64_t recent_marks) {
  std::int64_t longest = 0;
  for (const Sequence* sequence : sequences) longest = std::max(longest, token_count(*sequence));
  const auto count = static_cast<std::int64_t>(sequences.size());
  constexpr auto kFeatures = static_cast<std::int64_t>(kTimeFeatures);
  EventBatch batch;
  batch.features = torch::zeros({count, longest, kFeatures});
  batch.marks = torch::zeros({count, longest}, torch::kInt64);
  batch.places = torch::full({count, longest}, recent_marks, torch::kInt64);
  batch.recent = torch::full({count * longest, recent_marks}, -1, torch::kInt64);
  batch.ageing = torch::zeros({count, longest, 2});
  std::vector<std::int64_t> rows, next_marks, last_rows;
  std::vector<double> next_gaps, last_gaps;
  for (std::int64_t b = 0; b < count; ++b) {
    const Sequence& sequence = *sequences[static_cast<std::size_t>(b)];
    float* features = batch.features.data_ptr<float>() + b * longest * kFeatures;
    float* ageing = batch.ageing.data_ptr<float>() + b * longest * 2;
    std::int64_t* marks = batch.marks.data_ptr<std::int64_t>() + b * longest;
    std::int64_t* places = batch.places.data_ptr<std::int64_t>() + b * longest;
    std::int64_t* recent = batch.recent.data_ptr<std::int64_t>() + b * longest * recent_marks;
    cmanp::events::RecentMarks seen(static_cast<std::size_t>(recent_marks));
    std::int64_t token = 0;
    for (const cmanp::events::EventTime& time : event_times(sequence, window)) {
      const std::int64_t mark =
          sequence.marks.empty() ? 0 : static_cast<std::int64_t>(sequence.marks[static_cast<std::size_t>(token)]);
      if (time.has_gap) {
        rows.push_back(b * longest + token);
        next_gaps.push_back(domain.scale.standardised(time.gap));
        next_marks.push_back(mark);
      }
      ++token;
      write_time_features(domain.scale, time, std::span<float, kTimeFeatures>(features + token * kFeatures, kFeatures));
      const cmanp::events::Ageing age = ageing_of(domain.scale, time);
      ageing[2 * token] = static_cast<float>(age.events);
      ageing[2 * token + 1] = static_cast<float>(age.time);
      marks[token] = mark;
      places[token] = static_cast<std::int64_t>(seen.place_of(static_cast<std::uint32_t>(mark)));
      seen.see(static_cast<std::uint32_t>(mark));
      std::copy(seen.marks().begin(), seen.marks().end(), recent + token * recent_marks);
    }
    if (window.to && *window.to > sequence.times.back()) {
      last_rows.push_back(b * longest + token);
      last_gaps.push_back(domain.scale.standardised(*window.to - sequence.times.back()));
    }
  }
  batch.rows = tensor_of(rows);
  batch.next_gaps = tensor_of(next_gaps).to(torch::kFloat);
  batch.next_marks = tensor_of(next_marks);
  batch.last_rows = tensor_of(last_rows);
  batch.last_gaps = tensor_of(last_gaps).to(torch::kFloat);
  return batch;
}

Plan plan_epoch(const std::vector<Sequence>& sequences, std::int64_t tokens, std::uint64_t seed, std::uint64_t epoch) {
  constexpr std::size_t kPool = 256;  // sequences that are sorted together: the smaller, the more random
  std::vector<const Sequence*> order = pointers(sequences);
  Random random(seed, Stream::training, epoch);
  shuffle(order, random);
  Plan plan;
  for (std::size_t begin = 0; begin < order.size(); begin += kPool) {
    const std::span part = std::span(order).subspan(begin, std::min(kPool, order.size() - begin));
    sort_by_length(part);
    pack(part, tokens, plan);
  }
  shuffle(plan, random);
  return plan;
}

Plan plan_evaluation(const std::vector<Sequence>& sequences, std::int64_t tokens) {
  std::vector<const Sequence*> order = pointers(sequences);
  sort_by_length(order);
  Plan plan;
  pack(order, tokens, plan);
  return plan;
}

}  // namespace cmanp::training::events
