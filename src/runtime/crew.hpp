// Threads that share the rows of a refresh. Every row comes to the same bits whoever computes it, so that their number
// changes nothing but the time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/workers.hpp"
#include "kernels/panel.hpp"

namespace cmanp::runtime {

struct Rows {
  std::size_t first, last;

  std::size_t count() const { return last - first; }
};

class Crew {
 public:
  // The calling thread alone.
  explicit Crew(float* scratch) : scratch_(scratch) {}

  // As many of the workers as find enough to do between two of their meetings, given what a row costs there in
  // multiply-adds. `others`: the scratch of all but the first.
  Crew(base::Workers& workers, float* scratch, std::span<float* const> others, double work)
      : workers_(&workers),
        scratch_(scratch),
        others_(others),
        parts_(std::clamp<std::size_t>(static_cast<std::size_t>(work / kWorthwhile), 1, workers.size())) {}

  // Calls task(part, its scratch) for every part, and returns when all are done.
  template <class Task>
  void run(const Task& task) const {
    if (parts_ == 1) return task(std::size_t{0}, scratch_);
    workers_->run([&](std::size_t part) {
      if (part < parts_) task(part, part == 0 ? scratch_ : others_[part - 1]);
    });
  }

  // A part's share of so many rows: whole panels, but at the end.
  Rows share(std::size_t rows, std::size_t part) const {
    const auto begin = [&](std::size_t of) {
      return std::min(rows, kernels::panels(rows) * of / parts_ * kernels::kPanel);
    };
    return {begin(part), begin(part + 1)};
  }

 private:
  static constexpr double kWorthwhile = 5e5;  // multiply-adds: some ten microseconds, a meeting takes one or two

  base::Workers* workers_ = nullptr;
  float* scratch_;
  std::span<float* const> others_;
  std::size_t parts_ = 1;
};

}  // namespace cmanp::runtime
