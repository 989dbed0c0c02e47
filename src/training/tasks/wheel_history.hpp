// Games of the wheel as somebody might have played them, to learn from: the arms depend on what was seen before, never
// on delta itself, so that what a game says about delta is what it would say to any player.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "bandit/wheel.hpp"

namespace cmanp::training {

struct WheelPoint {
  std::array<double, bandit::Wheel::kFeatures> context;
  std::size_t arm;
  double reward;
};

class WheelHistory {
 public:
  WheelHistory(double delta, bandit::NumpyRandom& random);

  void play();  // one more round
  void ask();   // one more context to predict at, with all arms

  const std::vector<WheelPoint>& played() const { return played_; }
  const std::vector<WheelPoint>& asked() const { return asked_; }

 private:
  enum class Habit { any, searching, threshold };
  using Context = std::array<double, bandit::Wheel::kFeatures>;

  Context draw_context();
  std::size_t choose(const Context& context);
  void remember(const Context& context, std::size_t arm, double reward);

  double delta_;
  bandit::NumpyRandom& random_;
  Habit habit_;
  double careless_;     // share of rounds with any arm
  double threshold_;    // radius from which on a `threshold` player tries the quadrant's arm
  double inside_ = 0;   // largest radius known to be inside
  double outside_ = 1;  // smallest radius known to be outside
  std::vector<WheelPoint> played_, asked_;
};

}  // namespace cmanp::training
