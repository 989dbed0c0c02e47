#include "training/modules/growing_attention.hpp"

#include "training/attention/heads.hpp"
#include "training/modules/growing_context.hpp"

namespace cmanp::training {

torch::Tensor GrowingAttention::forward(BnpAttention& attention, const torch::Tensor& added, std::int64_t known) {
  if (known == 0) *this = GrowingAttention();
  const torch::Tensor queries = attention.queries(added);
  const KeysValues from = attention.keys_values(added, added);
  if (known > 0) state_ = absorb(state_, attention.heads_of(queries_), from);
  from_ = {append_rows(from_.keys, from.keys), append_rows(from_.values, from.values)};
  const AttentionState fresh = absorb({}, attention.heads_of(queries), from_);
  state_ = {append_rows(state_.max, fresh.max), append_rows(state_.sum, fresh.sum),
            append_rows(state_.weighted, fresh.weighted)};
  queries_ = append_rows(queries_, queries);
  return attention.output(queries_, join_heads(read(state_, from_.values)));
}

}  // namespace cmanp::training
