#include "bandit/model_player.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>

#include "bandit/policy.hpp"

namespace cmanp::bandit {
namespace {

class ChosenPlayer : public Player {
 public:
  ChosenPlayer(const Model& model, const AgentOptions& options) : agent_(model, Wheel::kArms, options) {}

  std::size_t choose(std::span<const double> context) override { return agent_.choose(context); }
  void learn(std::span<const double> context, std::size_t arm, double reward) override {
    agent_.learn(context, arm, learnt_reward(reward));
  }

 private:
  Agent agent_;
};

// As the public code plays: the first arm is any.
class AllPlayer : public Player {
 public:
  AllPlayer(const Model& model, const AgentOptions& options)
      : context_(model), options_(options), normals_(options.seed, 1) {}

  std::size_t choose(std::span<const double> context) override {
    if (context_.size() == 0) return static_cast<std::size_t>(normals_.uniform() * Wheel::kArms);
    double mean[Wheel::kArms], std[Wheel::kArms];
    context_.predict(context, mean, std);
    return pick(options_, mean, std, normals_);
  }

  void learn(std::span<const double> context, std::size_t arm, double reward) override {
    double rewards[Wheel::kArms];
    fill_unplayed(rewards, arm, reward, normals_);
    context_.observe(context, rewards);
  }

 private:
  Context context_;
  AgentOptions options_;
  base::NormalSource normals_;
};

}  // namespace

Rewards rewards_of(const Config& config, const std::string& name) {
  if (config.dim_x == Wheel::kFeatures && config.dim_y == Wheel::kArms) return Rewards::all;
  if (config.dim_x == Wheel::kFeatures + Wheel::kArms && config.dim_y == 1) return Rewards::chosen;
  throw Error(
      fmt::format("{}: has {} x and {} y; a model of the wheel has 7 and 1 (context and arm to reward) or 2 and 5 "
                  "(context to the rewards of all arms)",
                  name, config.dim_x, config.dim_y));
}

void fill_unplayed(std::span<double> rewards, std::size_t arm, double reward, base::NormalSource& normals) {
  for (double& value : rewards) value = normals.next();
  rewards[arm] = reward;
}

std::unique_ptr<Player> make_model_player(const Model& model, Rewards rewards, const AgentOptions& options) {
  if (rewards == Rewards::chosen) return std::make_unique<ChosenPlayer>(model, options);
  return std::make_unique<AllPlayer>(model, options);
}

}  // namespace cmanp::bandit
