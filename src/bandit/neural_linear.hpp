// Neural-linear Thompson sampling (Riquelme et al., 2018): a network learns features of the context from all that was
// seen, Bayesian linear regression on them says what each arm pays, and the arm with the largest draw is played.
#pragma once

#include <vector>

#include "bandit/linear_reward.hpp"
#include "bandit/player.hpp"
#include "bandit/small_network.hpp"
#include "base/normal_source.hpp"

namespace cmanp::bandit {

struct NeuralLinearOptions {
  std::size_t hidden = 32;
  std::size_t first_pulls = 3;    // of every arm, before anything else
  std::size_t train_every = 50;   // rounds
  std::size_t train_steps = 100;  // each time
  std::size_t batch = 64;
  double rate = 3e-3;
  double reward_scale = 0.02;  // the network learns rewards times this
  double ridge = 0.25;
  double noise_shape = 6, noise_rate = 6;
};

class NeuralLinear : public Player {
 public:
  NeuralLinear(std::size_t features, std::size_t arms, std::uint32_t seed, const NeuralLinearOptions& options = {});

  std::size_t choose(std::span<const double> context) override;
  void learn(std::span<const double> context, std::size_t arm, double reward) override;

 private:
  struct Seen {
    std::vector<double> context;
    std::size_t arm;
    double reward;
  };

  void train();
  std::vector<double> features(std::span<const double> context) const;  // with a constant

  NeuralLinearOptions options_;
  NumpyRandom random_;
  base::NormalSource normals_;
  SmallNetwork network_;
  std::vector<LinearReward> arms_;
  std::vector<Seen> seen_;
};

}  // namespace cmanp::bandit
