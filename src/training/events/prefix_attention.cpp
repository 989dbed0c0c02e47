#include "training/events/prefix_attention.hpp"

#include <cmath>
#include <vector>

namespace cmanp::training::events {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

struct Sizes {
  std::int64_t tasks, heads, latents, tokens, dim;

  Sizes(const torch::Tensor& scores, const torch::Tensor& values)
      : tasks(scores.size(0)),
        heads(scores.size(1)),
        latents(scores.size(2)),
        tokens(scores.size(3)),
        dim(values.size(3)) {}

  // Where token i of [B, H, L, N], of [B, H, N, h] and of [B, N, H, L] stands.
  std::int64_t score(std::int64_t b, std::int64_t h, std::int64_t l) const {
    return ((b * heads + h) * latents + l) * tokens;
  }
  std::int64_t value(std::int64_t b, std::int64_t h) const { return (b * heads + h) * tokens * dim; }
  std::int64_t prefix(std::int64_t b, std::int64_t i, std::int64_t h, std::int64_t l) const {
    return ((b * tokens + i) * heads + h) * latents + l;
  }
  template <class Call>
  void for_each_query(const Call& call) const {
    for (std::int64_t b = 0; b < tasks; ++b) {
      for (std::int64_t h = 0; h < heads; ++h) {
        for (std::int64_t l = 0; l < latents; ++l) call(b, h, l);
      }
    }
  }
};

// By how much token i ages what came before it, for one query.
template <typename T>
double aged(const T* ageing, const T* rates, std::int64_t token, std::int64_t query, std::int64_t queries) {
  return static_cast<double>(rates[query]) * static_cast<double>(ageing[2 * token]) +
         static_cast<double>(rates[queries + query]) * static_cast<double>(ageing[2 * token + 1]);
}

template <typename T>
void forward(const Sizes& n, const T* scores, const T* values, const T* ageing, const T* rates, T* attended,
             T* normaliser, T* shares) {
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
void backward(const Sizes& n, const T* values, const T* ageing, const T* rates, const T* attended, const T* shares,
              const T* d_attended, const T* d_normaliser, T* d_scores, T* d_values, double* d_rates) {
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

class Node : public Function<Node> {
 public:
  static variable_list forward(AutogradContext* context, const torch::Tensor& given_scores,
                               const torch::Tensor& given_values, const torch::Tensor& given_ageing,
                               const torch::Tensor& given_rates) {
    const torch::Tensor scores = given_scores.contiguous(), values = given_values.contiguous();
    const torch::Tensor ageing = given_ageing.to(scores.scalar_type()).contiguous();
    const torch::Tensor rates = given_rates.contiguous();
    const Sizes n(scores, values);
    const torch::Tensor attended = torch::empty({n.tasks, n.tokens, n.heads, n.latents, n.dim}, scores.options());
    const torch::Tensor normaliser = torch::empty({n.tasks, n.tokens, n.heads, n.latents}, scores.options());
    const torch::Tensor shares = torch::empty_like(scores);
    AT_DISPATCH_FLOATING_TYPES(scores.scalar_type(), "prefix_attention", [&] {
      events::forward(n, scores.data_ptr<scalar_t>(), values.data_ptr<scalar_t>(), ageing.data_ptr<scalar_t>(),
                      rates.data_ptr<scalar_t>(), attended.data_ptr<scalar_t>(), normaliser.data_ptr<scalar_t>(),
                      shares.data_ptr<scalar_t>());
    });
    context->save_for_backward({values, ageing, rates, attended, shares});
    return {attended, normaliser};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor &values = saved[0], &ageing = saved[1], &rates = saved[2], &attended = saved[3];
    const torch::Tensor& shares = saved[4];
    const Sizes n(shares, values);
    const torch::Tensor d_attended = gradients[0].defined() ? gradients[0].contiguous() : torch::zeros_like(attended);
    const torch::Tensor d_normaliser = gradients[1].defined()
                                           ? gradients[1].contiguous()
                                           : torch::zeros({n.tasks, n.tokens, n.heads, n.latents}, attended.options());
    const torch::Tensor d_scores = torch::empty_like(shares), d_values = torch::zeros_like(values);
    const torch::Tensor d_rates = torch::zeros(rates.sizes(), torch::kFloat64);
    AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "prefix_attention", [&] {
      events::backward(n, values.data_ptr<scalar_t>(), ageing.data_ptr<scalar_t>(), rates.data_ptr<scalar_t>(),
                       attended.data_ptr<scalar_t>(), shares.data_ptr<scalar_t>(), d_attended.data_ptr<scalar_t>(),
                       d_normaliser.data_ptr<scalar_t>(), d_scores.data_ptr<scalar_t>(), d_values.data_ptr<scalar_t>(),
                       d_rates.data_ptr<double>());
    });
    return {d_scores, d_values, torch::Tensor(), d_rates.to(rates.scalar_type())};
  }
};

}  // namespace

PrefixAttention prefix_attention(const torch::Tensor& scores, const torch::Tensor& values, const torch::Tensor& ageing,
                                 const torch::Tensor& rates) {
  const torch::Tensor given =
      rates.defined() ? rates : torch::zeros({2, scores.size(1), scores.size(2)}, scores.options());
  const variable_list result = Node::apply(scores, values, ageing, given);
  return {result[0], result[1]};
}

}  // namespace cmanp::training::events
