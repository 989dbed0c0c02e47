// Any model of the family plays the wheel: with every round it goes through all that it has seen. Games with the same
// number of rounds go on side by side, as one batch.
#pragma once

#include <cmanp/agent.hpp>
#include <cstdint>
#include <vector>

#include "bandit/model_player.hpp"
#include "bandit/tournament.hpp"
#include "training/export.hpp"

namespace cmanp::training {

// A game for each wheel, all of the same number of rounds; the first arm is any, and models that draw latents or
// bootstraps draw one, as published. `seeds` are for that, draws of the policy, and what stands for unknown rewards.
std::vector<bandit::Game> play_together(const LoadedModel& model, const std::vector<bandit::Wheel>& wheels,
                                        const std::vector<std::uint32_t>& seeds, const AgentOptions& options);

// The games of a tournament that `results` has not, up to `together` at once.
void play_family(const bandit::Tournament& tournament, const LoadedModel& model, const AgentOptions& options,
                 std::size_t together, bandit::ResultsFile& results, const bandit::Finished& finished);

}  // namespace cmanp::training
