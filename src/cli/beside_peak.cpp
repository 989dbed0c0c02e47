#include "cli/beside_peak.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "base/median.hpp"
#include "base/seconds.hpp"
#include "files/quote.hpp"
#include "kernels/instructions.hpp"
#include "kernels/peak.hpp"

namespace cmanp::cli {
namespace {

constexpr double kTurn = 0.05;  // seconds of work at least: more than a look at the peak takes

// Threads of the work may be awake for a moment after it, and would take the peak's cores; and it may take the system
// some milliseconds to find a core for each of the peak's.
double at_rest(kernels::Peak& peak) {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return std::max({peak.gflops(), peak.gflops(), peak.gflops()});
}

double seconds_of(const std::function<void()>& call, std::size_t times) {
  const double start = base::seconds_on_the_wall();
  for (std::size_t i = 0; i < times; ++i) call();
  return base::seconds_on_the_wall() - start;
}

}  // namespace

// The help is the same on every machine; the sets are not.
CLI::Option* add_instructions(CLI::App* verb, std::string& name) {
  return verb
      ->add_option(
          "--instructions", name,
          "Instruction set that kernels and peak run on, such as avx3 (which is AVX-512) or avx2 (default: the "
          "best of this machine's)")
      ->check([](const std::string& text) -> std::string {
        const std::vector<std::string> sets = kernels::instruction_sets();
        if (std::find(sets.begin(), sets.end(), text) != sets.end()) return {};
        return fmt::format("{}: this machine has {}", files::quote(text), fmt::join(sets, ", "));
      })
      ->type_name("NAME");
}

void use_instructions(const std::string& name) {
  if (!name.empty()) kernels::use_instructions(name);
}

BesidePeak time_beside_peak(const std::function<void()>& call, double seconds, std::size_t threads) {
  constexpr std::size_t kFewestTurns = 3;
  kernels::Peak peak(threads);
  call();
  const double once = std::max(1e-9, seconds_of(call, 1)), turn = std::min(kTurn, seconds / kFewestTurns);
  const auto times = static_cast<std::size_t>(std::max(1.0, turn / once));
  std::vector<double> each, peaks{at_rest(peak)}, ratios;
  const double begin = base::seconds_on_the_wall();
  do {
    each.push_back(seconds_of(call, times) / static_cast<double>(times));
    const double before = peaks.back();
    peaks.push_back(at_rest(peak));
    ratios.push_back(2 / (each.back() * (before + peaks.back())));
  } while (each.size() < kFewestTurns || base::seconds_on_the_wall() - begin < seconds);
  return {base::median(each), base::median(peaks), base::median(ratios)};
}

}  // namespace cmanp::cli
