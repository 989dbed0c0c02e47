#include "training/fused/streamed_block.hpp"

#include <tuple>

#include "kernels/attention_state.hpp"
#include "training/attention/chunk_gradients.hpp"
#include "training/fused/attention_node.hpp"

namespace cmanp::training::fused {
namespace {

using kernels::AttentionUp;
using kernels::Cursor;
using kernels::KeyBackwardSpace;
using kernels::KeySpace;
using torch::Tensor;

class FusedStreamedBlock : public StreamedBlock {
 public:
  FusedStreamedBlock(const Tensor& queries, const AttentionParameters& p)
      : inputs_{queries, p.context_norm_weight, p.context_norm_bias, p.key_value},
        layer_(
            make_layer(p.norm_weight, p.norm_bias, p.query, p.key_value, p.output, p.output_bias, queries.size(1), 0)),
        weights_(weights_of(p.query, p.key_value, p.output, p.output_bias, layer_.heads)),
        parameters_(p),
        queries_(to_rows(queries.detach())),
        sums_({}) {
    layer_.context_norm = pack_norm(p.context_norm_weight, p.context_norm_bias);
  }

  const std::vector<Tensor>& inputs() const override { return inputs_; }

  void absorb(const Tensor& given) override {
    const Tensor tokens = given.contiguous();
    const std::size_t tasks = extent(tokens, 0), m = extent(tokens, 1), ld = extent(tokens, 2);
    if (states_.empty()) states_.assign(tasks, kernels::AttentionState(heads(), rows()));
    in_stretches(tasks, [&](std::size_t, std::size_t begin, std::size_t end) {
      const auto [keys, normal, rest] = carved([&](Cursor& cursor) {
        return std::tuple(KeySpace(layer_.pack, m, cursor), cursor.take(m * ld),
                          cursor.take(kernels::attention_scratch(m)));
      });
      kernels::AttentionChunk chunk(heads(), rows());
      for (std::size_t task = begin; task < end; ++task) {
        kernels::layer_norm(layer_.context_norm, task_rows(tokens, task), ld, m, normal, ld);
        keys.make(layer_.pack, normal);
        kernels::attend_unnormalised(heads(), task_rows(queries_, 0), heads().inner(), rows(), keys.view(),
                                     chunk.max.data(), chunk.sum.data(), chunk.weighted.data(), rest);
        states_[task].absorb(chunk);
      }
    });
  }

  Tensor attended() const override {
    Tensor read = torch::empty({tasks(), queries_.size(1), queries_.size(2)});
    for (std::size_t task = 0; task < states_.size(); ++task) {
      states_[task].read(task_rows(read, task), heads().inner());
    }
    return to_heads(read);
  }

  void start_backward(const Tensor& up) override {
    up_ = to_rows(up);
    mean_ = (up * attended()).sum(-1).contiguous();
    sum_ = torch::empty_like(mean_);
    float* to = sum_.data_ptr<float>();
    for (const kernels::AttentionState& state : states_) {
      for (const double sum : state.sum) *to++ = static_cast<float>(sum);
    }
    back_ = kernels::AttentionBackwardPack::pack(weights_);
    sums_ = GradientSums(inputs_);
  }

  Tensor backward(const Tensor& given) override {
    const Tensor tokens = given.contiguous();
    const std::size_t m = extent(tokens, 1), ld = extent(tokens, 2), inner = heads().inner();
    const std::size_t threads = stretches(states_.size());
    ThreadSums<Gradient> gradients(threads);
    Tensor dtokens = torch::zeros_like(tokens);
    Tensor dqueries = torch::zeros({static_cast<std::int64_t>(threads), queries_.size(1), queries_.size(2)});
    in_stretches(states_.size(), [&](std::size_t t, std::size_t begin, std::size_t end) {
      const auto [keys, parts, normal, dnormal, rest] = carved([&](Cursor& cursor) {
        return std::tuple(KeyBackwardSpace(layer_.pack, m, cursor), AttentionUp(heads(), rows(), m, cursor),
                          cursor.take(m * ld), cursor.take(m * ld), cursor.take(kernels::attend_backward_scratch(m)));
      });
      Gradient& sum = gradients.start(t, layer_.pack);
      for (std::size_t task = begin; task < end; ++task) {
        kernels::layer_norm(layer_.context_norm, task_rows(tokens, task), ld, m, normal, ld);
        keys.make(layer_.pack, normal);
        std::fill_n(parts.keys, m * inner, 0.0f);
        std::fill_n(parts.values, m * inner, 0.0f);
        const kernels::WholeContext whole = whole_context(task);
        kernels::attend_backward(heads(), task_rows(queries_, 0), rows(), keys.view(), task_rows(up_, task), parts.q,
                                 parts.keys, parts.values, rest, &whole);
        float* dq = task_rows(dqueries, t);
        for (std::size_t i = 0; i < rows() * inner; ++i) dq[i] += parts.q[i];
        std::fill_n(dnormal, m * ld, 0.0f);
        kernels::keys_backward(back_, normal, m, parts, dnormal, sum.weights);
        kernels::layer_norm_backward(layer_.context_norm, task_rows(tokens, task), dnormal, m, ld,
                                     task_rows(dtokens, task), sum.context_norm);
      }
    });
    sums_.add(0, to_heads(dqueries.sum(0, /*keepdim=*/true)));
    sums_.add(1, sum_of(
                     gradients, [](const Gradient& g) -> auto& { return g.context_norm.gamma; }));
    sums_.add(2, sum_of(
                     gradients, [](const Gradient& g) -> auto& { return g.context_norm.beta; }));
    sums_.add(3, WeightGradients(gradients, layer_.heads, layer_.pack).key_value);
    return dtokens;
  }

  std::vector<Tensor> gradients() const override { return sums_.take(); }

 private:
  const kernels::Heads& heads() const { return layer_.pack.heads; }  // spread
  std::size_t rows() const { return extent(queries_, 1); }
  std::int64_t tasks() const { return static_cast<std::int64_t>(states_.size()); }

  // [B, H, L, h] to rows of spread heads [B, L, inner], and back.
  Tensor to_rows(const Tensor& of_heads) const {
    const auto gap = static_cast<std::int64_t>(heads().dim) - of_heads.size(3);
    return torch::constant_pad_nd(of_heads.transpose(1, 2), {0, gap}).flatten(2).contiguous();
  }
  Tensor to_heads(const Tensor& of_rows) const {
    const auto count = static_cast<std::int64_t>(heads().count), dim = static_cast<std::int64_t>(heads().dim);
    return of_rows.unflatten(2, {count, dim})
        .narrow(3, 0, static_cast<std::int64_t>(layer_.heads.dim))
        .transpose(1, 2)
        .contiguous();
  }

  kernels::WholeContext whole_context(std::size_t task) const {
    const std::size_t at = task * heads().count * rows();
    return {states_[task].max.data(), sum_.data_ptr<float>() + at, mean_.data_ptr<float>() + at};
  }

  std::vector<Tensor> inputs_;  // queries, the context norm's parameters, W_kv
  Layer layer_;
  kernels::AttentionWeights weights_;  // in the memory of
  AttentionParameters parameters_;
  Tensor queries_;                               // [1, L, inner]
  std::vector<kernels::AttentionState> states_;  // a task each
  Tensor up_, sum_, mean_;                       // of backward: [B, L, inner], [B, H, L], [B, H, L]
  kernels::AttentionBackwardPack back_;
  GradientSums sums_;
};

}  // namespace

std::shared_ptr<StreamedBlock> streamed_block(const Tensor& queries, const AttentionParameters& parameters) {
  return std::make_shared<FusedStreamedBlock>(queries, parameters);
}

}  // namespace cmanp::training::fused
