#include "training/events/prefix_loops.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cmanp::training::events {
namespace {

// By how much token i ages what came before it, for one query.
template <typename T>
double aged(const T* ageing, const T* rates, std::int64_t token, std::int64_t query, std::int64_t queries) {
  return static_cast<double>(rates[query]) * static_cast<double>(ageing[2 * token]) +
         static_cast<double>(rates[queries + query]) * static_cast<double>(ageing[2 * token + 1]);
}

}  // namespace

template <typename T>
void prefix_forward(const PrefixSizes& n, const T* scores, const T* values, const T* ageing, const T* rates,
                    T* attended, T* normaliser, T* shares) {
  std::vector<double> average(static_cast<std::size_t>(n.dim));
  n.for_each_query([&](std::int64_t b, std::int64_t h, std::int64_t l) {
    const T* score = scores + n.score(b, h, l);
    T* share = shares + n.score(b, h, l);
    double log_sum = 0;
    for (std::int64_t i = 0; i < n.tokens; ++i) {
      const T* value = values + n.value(b, h) + i * n.dim;
      const double s = static_cast<double>(score[i]);
      double weight = 1;  // of the new token among all
      if (i == 0) {
        log_sum = s;
      } else {
        const double before = log_sum - aged(ageing, rates, b * n.tokens + i, h * n.latents + l, n.heads * n.latents);
        const double larger = std::max(before, s);
        log_sum = larger + std::log(std::exp(before - larger) + std::exp(s - larger));
        weight = std::exp(s - log_sum);
      }
      share[i] = static_cast<T>(weight);
      const std::int64_t at = n.prefix(b, i, h, l);
      normaliser[at] = static_cast<T>(log_sum);
      for (std::int64_t k = 0; k < n.dim; ++k) {
        double& mean = average[static_cast<std::size_t>(k)];
        mean = i == 0 ? static_cast<double>(value[k]) : mean + weight * (static_cast<double>(value[k]) - mean);
        attended[at * n.dim + k] = static_cast<T>(mean);
      }
    }
  });
}

// From the last token to the first. With w the new token's share, m the average and c the log-normaliser:
//   m = (1 - w) m' + w v,  w = exp(s - c),  c = log(exp(c' - aged) + exp(s)).
template <typename T>
void prefix_backward(const PrefixSizes& n, const T* values, const T* ageing, const T* rates, const T* attended,
                     const T* shares, const T* d_attended, const T* d_normaliser, T* d_scores, T* d_values,
                     double* d_rates) {
  std::vector<double> flow(static_cast<std::size_t>(n.dim));  // gradient of the average, from later prefixes too
  const std::int64_t queries = n.heads * n.latents;
  n.for_each_query([&](std::int64_t b, std::int64_t h, std::int64_t l) {
    std::fill(flow.begin(), flow.end(), 0.0);
    double d_log_sum = 0;
    const std::int64_t query = h * n.latents + l;
    for (std::int64_t i = n.tokens - 1; i >= 0; --i) {
      const std::int64_t at = n.prefix(b, i, h, l);
      const std::int64_t previous = i == 0 ? at : n.prefix(b, i - 1, h, l);
      const T* value = values + n.value(b, h) + i * n.dim;
      T* d_value = d_values + n.value(b, h) + i * n.dim;
      const double share = static_cast<double>(shares[n.score(b, h, l) + i]), rest = i == 0 ? 0.0 : 1 - share;
      d_log_sum += static_cast<double>(d_normaliser[at]);
      double d_share = 0;
      for (std::int64_t k = 0; k < n.dim; ++k) {
        double& g = flow[static_cast<std::size_t>(k)];
        g += static_cast<double>(d_attended[at * n.dim + k]);
        d_value[k] += static_cast<T>(share * g);
        d_share += g * (static_cast<double>(value[k]) - static_cast<double>(attended[previous * n.dim + k]));
        g *= rest;
      }
      const double across = d_share * share * rest;  // of the share, a sigmoid of s - (c' - aged)
      d_scores[n.score(b, h, l) + i] = static_cast<T>(across + d_log_sum * share);
      d_log_sum = d_log_sum * rest - across;
      if (i == 0 || rates == nullptr) continue;
      const T* age = ageing + 2 * (b * n.tokens + i);
      d_rates[query] -= d_log_sum * static_cast<double>(age[0]);
      d_rates[queries + query] -= d_log_sum * static_cast<double>(age[1]);
    }
  });
}

template void prefix_forward(const PrefixSizes&, const float*, const float*, const float*, const float*, float*, float*,
                             float*);
template void prefix_forward(const PrefixSizes&, const double*, const double*, const double*, const double*, double*,
                             double*, double*);
template void prefix_backward(const PrefixSizes&, const float*, const float*, const float*, const float*, const float*,
                              const float*, const float*, float*, float*, double*);
template void prefix_backward(const PrefixSizes&, const double*, const double*, const double*, const double*,
                              const double*, const double*, const double*, double*, double*, double*);

}  // namespace cmanp::training::events
