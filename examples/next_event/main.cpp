// Follows two sequences of events and says of each, as it goes, when its next event comes. Half way through, all that
// is known goes to bytes and comes back, as it would on its way to another process.
#include <cmanp/cmanp.hpp>
#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s MODEL.cmanp   (a model of events, such as models/cascades.cmanp)\n", argv[0]);
    return 2;
  }
  try {
    const cmanp::EventModel model = cmanp::EventModel::load(argv[1]);
    cmanp::EventStream stream(model);
    std::printf("%8s  %6s  %9s  %9s\n", "sequence", "time", "median", "90 %");
    for (int i = 1; i <= 8; ++i) {
      const double steady = 2.0 * i, hasty = 0.25 * i;
      stream.observe("steady", steady);
      stream.observe("hasty", hasty);
      for (const auto& [name, time] : {std::pair("steady", steady), std::pair("hasty", hasty)}) {
        const cmanp::LogNormalMixture gap = stream.forecast(name).gap;  // from the last event on
        std::printf("%8s  %6.2f  %9.4f  %9.4f\n", name, time, gap.quantile(0.5), gap.quantile(0.9));
      }
      if (i == 4) stream = cmanp::EventStream::from_bytes(model, stream.to_bytes());
    }
  } catch (const cmanp::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
