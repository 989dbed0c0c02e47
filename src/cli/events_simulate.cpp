// cmanp events simulate: sequences of events to try things on.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <memory>

#include "cli/events.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "events/simulate.hpp"

namespace cmanp::cli {
namespace {

struct SimulateOptions {
  events::Cascades process;
  std::size_t sequences = 1000;
  std::uint64_t seed = 0;
};

void run_simulate(const SimulateOptions& options) {
  constexpr double kMost = 1e9;
  const double expected = options.process.expected_events() * static_cast<double>(options.sequences);
  if (expected > kMost) throw Error(fmt::format("that would be about {:.2g} events; {:.2g} at most", expected, kMost));
  Output output;
  for (std::uint64_t number = 0; number < options.sequences; ++number) {
    const events::Sequence sequence = simulate(options.process, options.seed, number);
    for (std::size_t i = 0; i < sequence.times.size(); ++i) {
      output.text(fmt::format("{}{:.9g}", i > 0 ? " " : "", sequence.times[i]));
      if (!sequence.marks.empty()) output.text(fmt::format(":{}", sequence.marks[i]));
    }
    output.text("\n");
  }
  output.flush();
}

}  // namespace

void add_events_simulate(CLI::App& events) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* verb =
      add_verb(events, "simulate", "Sequences of a Hawkes process, in which events bring about others",
               "cmanp events simulate --marks 4 --sequences 1000 > cascades.txt\n"
               "  cmanp events train --data cascades.txt --window-from 0 --window-to 100 --out runs/cascades");
  events::Cascades& process = options->process;
  const auto add = [&]<class Number>(const char* flag, Number& value, Number least, Number most, const char* what) {
    verb->add_option(flag, value, what)
        ->check(number_between(static_cast<double>(least), static_cast<double>(most)))
        ->capture_default_str();
  };
  add("--sequences", options->sequences, std::size_t{1}, std::size_t{100'000'000}, "How many");
  add("--rate", process.rate, 1e-9, 1e9, "Events that come by themselves, per unit of time");
  add("--jump", process.jump, 0.0, 0.99, "Events that each event brings about, on average");
  add("--decay", process.decay, 1e-9, 1e9, "One over the mean time until they come");
  add("--until", process.until, 1e-9, 1e12, "How long a sequence is watched");
  add("--marks", process.marks, std::size_t{0}, std::size_t{1'000'000}, "Kinds of events; 0: unmarked");
  add("--loyalty", process.loyalty, 0.0, 1.0, "Probability that an event brought about is of its parent's kind");
  verb->add_option("--seed", options->seed, "Decides about all of it")->capture_default_str()->type_name("INTEGER");
  verb->callback([options] { run_simulate(*options); });
}

}  // namespace cmanp::cli
