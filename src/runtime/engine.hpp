// What stands behind a context: its state, the cached keys, working space and threads.
#pragma once

#include <cmanp/context.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/unusual.hpp"
#include "base/workers.hpp"
#include "kernels/attention_state.hpp"
#include "runtime/access.hpp"
#include "runtime/encoder.hpp"
#include "runtime/framing.hpp"
#include "runtime/layout.hpp"
#include "runtime/relative_network.hpp"
#include "runtime/state_data.hpp"

namespace cmanp::runtime {

class ContextEngine {
 public:
  ContextEngine(Model model, const ContextOptions& options);
  // A copy of the state with working space of its own, of the given options.
  ContextEngine(const ContextEngine& other, const ContextOptions& options);
  // Of a saved state, and over its range. `name` stands for where the data come from.
  ContextEngine(Model model, const StateData& data, const ContextOptions& options, const std::string& name);

  void observe(std::span<const double> x, std::span<const double> y);
  // The same of targets that were drawn or scored: those outside of the range are passed over, not refused.
  void feed_back(std::span<const double> x, std::span<const double> y);
  void merge(const ContextEngine& other);
  void reset();
  std::uint64_t size() const { return points_; }

  void predict(std::span<const double> x, std::span<double> mean, std::span<double> std);
  void predict_joint(std::span<const double> x, std::span<double> mean, std::span<double> scale_tril);

  // Takes over what another context of the same model knows, without allocating.
  void copy_state(const ContextEngine& other);

  // Folds what is pending and computes latents and keys, if anything has come in since the last time.
  void refresh();

  StateData state() const;

  // Of what its caller gives and gets; the engine itself knows the model's own units alone.
  Framing& framing() { return framing_; }
  const Framing& framing() const { return framing_; }

  // The arms of the agent that chooses by it; 0: of none.
  std::size_t arms() const { return arms_; }
  void set_arms(std::size_t arms) { arms_ = arms; }

  // What was usual so far, of each y of a stream that was asked for it; else empty. The engine only keeps it.
  std::vector<base::Unusual>& unusual() { return unusual_; }

  const Model& model() const { return model_; }
  const ContextOptions& options() const { return options_; }
  Memory memory() const;
  const std::vector<kernels::AttentionState>& states() const { return states_; }

 private:
  struct Thread {
    kernels::Buffer<float> scratch;
    kernels::Buffer<float> hidden;
    std::vector<kernels::AttentionChunk> chunks;  // one a block
    kernels::Buffer<double> gathered;
  };

  // What a target far from all latents is told: the answer of an empty context over the model's own range, amid it.
  struct Prior {
    std::vector<double> mean, std, scale_tril;
  };
  const Prior& prior();
  void answer_outside(std::span<const double> x, std::span<double> mean, std::span<double> std);
  void predict_joint_outside(std::span<const double> x, std::span<double> mean, std::span<double> scale_tril);

  void restore(const StateData& data, const std::string& name);
  void take(std::span<const double> x, std::span<const double> y);
  void fold(const double* x, const double* y, std::size_t count);
  void fold_pending();
  void fold_round(const double* x, const double* y, const std::uint32_t* order, std::size_t count);
  void predict_sorted(std::span<const double> x, std::span<double> mean, std::span<double> std);
  void predict_gathered(Thread& thread, const double* x, const std::uint32_t* order, std::size_t count, double* mean,
                        double* std) const;
  void decode_tile(const double* x, std::size_t count, const DecodeSpace& space, float* hidden) const;
  void predict_tile(Thread& thread, const double* x, std::size_t count, double* mean, double* std) const;
  void scale_deviations(std::span<double> deviations) const;  // as the model was calibrated

  const Weights& weights() const { return Access::weights(model_); }

  Model model_;
  ContextOptions options_;
  Layout layout_;
  std::optional<GridQueries> grid_;              // in relative coordinates
  std::vector<kernels::AttentionState> states_;  // one a block
  kernels::Buffer<double> pending_x_;            // [batch][dim_x]
  kernels::Buffer<double> pending_y_;            // [batch][dim_y]
  std::size_t pending_ = 0;
  std::uint64_t points_ = 0;
  std::size_t arms_ = 0;
  std::vector<base::Unusual> unusual_;
  Framing framing_;
  bool fresh_ = false;
  std::optional<Prior> prior_;  // once it was asked for
  std::vector<LayerKeys> keys_;
  std::vector<Thread> threads_;
  std::vector<float*> other_scratch_;     // of all threads but the first
  kernels::Buffer<std::uint32_t> order_;  // of points or targets, where the range is wide
  base::Workers workers_;
};

}  // namespace cmanp::runtime
