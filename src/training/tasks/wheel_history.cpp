#include "training/tasks/wheel_history.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cmanp::training {
namespace {

constexpr double kLarge = 25;      // rewards above it are of the outside
constexpr double kBesides = 0.05;  // how far around what is open about delta to ask

}  // namespace

// A third of players do not care, a third try what may be outside and remember what was not, a third have a radius of
// their own; the last two are careless now and then.
WheelHistory::WheelHistory(double delta, bandit::NumpyRandom& random)
    : delta_(delta),
      random_(random),
      habit_(static_cast<Habit>(random.up_to(2))),
      careless_(std::pow(10, -3 * random.uniform())),
      threshold_(std::sqrt(random.uniform())) {}

WheelHistory::Context WheelHistory::draw_context() {
  const double far = std::sqrt(random_.uniform()), angle = random_.uniform(0, 2 * std::numbers::pi);
  return {far * std::cos(angle), far * std::sin(angle)};
}

std::size_t WheelHistory::choose(const Context& context) {
  if (habit_ == Habit::any || random_.uniform() < careless_) return random_.up_to(bandit::Wheel::kArms - 1);
  const double from = habit_ == Habit::searching ? inside_ : threshold_;
  return bandit::radius(context) > from ? bandit::quadrant_arm(context) : 0;
}

void WheelHistory::remember(const Context& context, std::size_t arm, double reward) {
  if (arm != bandit::quadrant_arm(context)) return;
  const double at = bandit::radius(context);
  if (reward > kLarge) {
    outside_ = std::min(outside_, at);
  } else {
    inside_ = std::max(inside_, at);
  }
}

void WheelHistory::play() {
  const Context context = draw_context();
  const std::size_t arm = choose(context);
  const double reward = bandit::draw_reward(context, arm, delta_, random_);
  remember(context, arm, reward);
  played_.push_back({context, arm, reward});
}

// Two of three anywhere, one where the game has left open, or just about, on which side of delta they are.
void WheelHistory::ask() {
  Context context = draw_context();
  if (asked_.size() / bandit::Wheel::kArms % 3 == 2) {
    const double low = std::max(0.0, inside_ - kBesides), high = std::min(1.0, outside_ + kBesides);
    const double to = random_.uniform(low, high) / std::max(1e-9, bandit::radius(context));
    context = {context[0] * to, context[1] * to};
  }
  for (std::size_t arm = 0; arm < bandit::Wheel::kArms; ++arm) {
    asked_.push_back({context, arm, bandit::draw_reward(context, arm, delta_, random_)});
  }
}

}  // namespace cmanp::training
