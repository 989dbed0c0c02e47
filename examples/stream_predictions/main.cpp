// Streams noisy readings of a wave into a context and, every so often, asks what it makes of one place.
// The memory it prints stays the same however many readings have come in.
#include <cmanp/cmanp.hpp>
#include <cmath>
#include <cstdio>
#include <random>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s MODEL.cmanp   (a model with one x and one y)\n", argv[0]);
    return 2;
  }
  try {
    const cmanp::Model model = cmanp::Model::load(argv[1]);
    if (model.config().dim_x != 1 || model.config().dim_y != 1)
      throw cmanp::Error("the model must have one x and one y");
    cmanp::Context context(model);

    std::mt19937 random(1);
    std::uniform_real_distribution<double> place(-2.0, 2.0);
    std::normal_distribution<double> noise(0.0, 0.1);
    const double question[] = {0.5};

    std::printf("%8s  %20s  %8s\n", "readings", "y at x = 0.5", "memory");
    for (std::uint64_t next_report = 0; next_report <= 10000; next_report = next_report == 0 ? 1 : next_report * 10) {
      while (context.size() < next_report) {
        const double x[] = {place(random)};
        const double y[] = {std::sin(3.0 * x[0]) + noise(random)};
        context.observe(x, y);
      }
      double mean[1], std[1];
      context.predict(question, mean, std);
      std::printf("%8llu  %8.4f ± %8.4f  %5zu kB\n", static_cast<unsigned long long>(context.size()), mean[0], std[0],
                  context.memory().context() / 1024);
    }
  } catch (const cmanp::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
