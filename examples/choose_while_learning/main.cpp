// An agent that chooses while it learns, on a problem of its own: five offers, and visitors who are a point of a disc.
// Offer 0 pays a little from everybody. Those far out would pay fifty times as much for the offer of their quadrant,
// but how far out that is differs from one shop to the next, and nobody tells.
//
// The agent sees a visitor, makes an offer, and learns what that offer paid: never what the others would have. Half way
// through it is saved, and another process could go on with it.
#include <cmanp/cmanp.hpp>
#include <cmath>
#include <cstdio>
#include <random>

namespace {

constexpr std::size_t kOffers = 5;

double paid(const double (&visitor)[2], std::size_t offer, double far_out) {
  const bool far = std::hypot(visitor[0], visitor[1]) >= far_out;
  const std::size_t of_quadrant = visitor[1] > 0 ? (visitor[0] > 0 ? 1 : 2) : (visitor[0] <= 0 ? 3 : 4);
  return far && offer == of_quadrant ? 50 : offer == 0 ? 1.2 : 1;
}

double best(const double (&visitor)[2], double far_out) {
  double most = 0;
  for (std::size_t offer = 0; offer < kOffers; ++offer) most = std::fmax(most, paid(visitor, offer, far_out));
  return most;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr,
                 "usage: %s MODEL.cmanp STATE   (a model with 2 features and 5 arms, such as models/wheel.cmanp)\n",
                 argv[0]);
    return 2;
  }
  try {
    const cmanp::Model model = cmanp::Model::load(argv[1]);
    const cmanp::AgentOptions options{.policy = cmanp::Policy::ucb, .exploration = 1};
    cmanp::Agent agent(model, kOffers, options);

    constexpr double far_out = 0.9;  // what the agent has to find out
    std::mt19937 random(1);
    std::uniform_real_distribution<double> place(-1.0, 1.0);
    std::normal_distribution<double> noise(0.0, 0.05);

    double earned = 0, missed = 0;
    std::printf("%8s  %9s  %9s\n", "visitors", "earned", "missed");
    for (int visitor_number = 1; visitor_number <= 1000; ++visitor_number) {
      double visitor[2];
      do {
        visitor[0] = place(random);
        visitor[1] = place(random);
      } while (std::hypot(visitor[0], visitor[1]) > 1);

      const std::size_t offer = agent.choose(visitor);
      const double reward = paid(visitor, offer, far_out);
      agent.learn(visitor, offer, std::log(reward + noise(random)) / 4);  // as the model was trained

      earned += reward;
      missed += best(visitor, far_out) - reward;
      if (visitor_number % 200 == 0) std::printf("%8d  %9.1f  %9.1f\n", visitor_number, earned, missed);
      if (visitor_number == 500) {
        agent.save(argv[2]);
        agent = cmanp::Agent::load(model, kOffers, argv[2], options);
      }
    }
  } catch (const cmanp::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
