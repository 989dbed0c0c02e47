// CMANP plays the wheel: its context takes in every round at constant cost.
#pragma once

#include <cmanp/agent.hpp>
#include <cmanp/model.hpp>
#include <memory>

#include "bandit/player.hpp"
#include "base/normal_source.hpp"

namespace cmanp::bandit {

// What a model's observations of a bandit are.
enum class Rewards {
  chosen,  // x: context and arm, y: what that arm paid, as its logarithm
  all      // x: context, y: all arms; as published, N(0, 1) stands where an arm was not played
};

// By the model's shape; throws Error, with `name` for the model, where it is neither.
Rewards rewards_of(const Config& config, const std::string& name);

// The published stand-in for rewards, drawn once when a round is learnt: noise, but for the arm that was played.
void fill_unplayed(std::span<double> rewards, std::size_t arm, double reward, base::NormalSource& normals);

// Plays one game; `seed` is for draws of the policy, the published first arm, and the published stand-in.
std::unique_ptr<Player> make_model_player(const Model& model, Rewards rewards, const AgentOptions& options);

}  // namespace cmanp::bandit
