// Choosing while learning: an agent sees a context, chooses one of several arms, and learns what that arm paid. What
// the others would have paid is never known, and never made up.
//
// The model's x is the context's features followed by the arm, one-hot; its y is the reward. So an observation is the
// arm that was played, and a choice asks for all of them. A round costs the same whatever the number of rounds before
// it.
#pragma once

#include <cmanp/export.h>

#include <cmanp/context.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace cmanp {

enum class Policy {
  ucb,      // the largest mean + exploration * deviation
  greedy,   // the largest mean
  thompson  // the largest of one draw for each arm; a joint draw where the model has one (CMANP-AND)
};

struct AgentOptions {
  Policy policy = Policy::ucb;
  double exploration = 1;  // times the deviation, of ucb and thompson
  std::uint64_t seed = 0;  // of thompson's draws
};

// A model that plays: its state is a context.
class CMANP_API Agent {
 public:
  // Throws Error where the model is not of this form: dim_x features and arms together, dim_y 1.
  Agent(Model model, std::size_t arms, const AgentOptions& options = {});

  // The arm to play. The same rounds, context and seed give the same arm; it changes nothing.
  std::size_t choose(std::span<const double> context);

  // Takes in what the arm paid. Any arm may be learnt of, chosen by the agent or not, in any order.
  void learn(std::span<const double> context, std::size_t arm, double reward);

  // Mean and standard deviation of what each arm would pay.
  void predict(std::span<const double> context, std::span<double> mean, std::span<double> std);

  // All that it knows as one file, replaced atomically: a context's state.
  void save(const std::filesystem::path& path) const { context_.save(path); }
  static Agent load(Model model, std::size_t arms, const std::filesystem::path& path, const AgentOptions& options = {});

  // The same without a file.
  std::vector<std::byte> to_bytes() const { return context_.to_bytes(); }
  static Agent from_bytes(Model model, std::size_t arms, std::span<const std::byte> bytes,
                          const AgentOptions& options = {});

  std::size_t arms() const { return arms_; }
  std::size_t features() const { return context_.model().config().dim_x - arms_; }
  std::uint64_t rounds() const { return context_.size(); }  // learnt
  const Context& context() const { return context_; }

 private:
  Agent(Context context, std::size_t arms, const AgentOptions& options);

  void ask_for_all_arms(std::span<const double> context);  // fills questions_

  Context context_;
  std::size_t arms_;
  AgentOptions options_;
  std::vector<double> questions_;   // [arms][dim_x]
  std::vector<double> mean_, std_;  // [arms]
  std::vector<double> factor_;      // [arms][arms]
};

}  // namespace cmanp
