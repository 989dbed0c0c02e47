// Functions that another process makes, asked for batch by batch over a socket of the Unix kind: a prior in whatever
// language, such as Python. Numbers are little-endian.
//
//   question   a seed (uint64): the same seed has the same answer, so that runs can be repeated and resumed
//   answer     tasks B, context points N, target points M, bytes E of a message (uint32 each); where E is not 0, the
//              message says what went wrong; else float32: xc [B][N][dx], yc [B][N][dy], xt [B][M][dx], yt [B][M][dy]
#pragma once

#include <memory>
#include <mutex>

#include "training/tasks/task.hpp"

namespace cmanp::training {

struct GeneratorSettings {
  std::string socket;             // its path
  std::string label = "unnamed";  // tells generators apart, by whom evaluation sets are kept
  std::int64_t inputs = 1;        // numbers in an x
  std::int64_t outputs = 1;       // numbers in a y
  Range range = {-2, 2};          // of x
};

class GeneratorTask : public Task {
 public:
  explicit GeneratorTask(GeneratorSettings settings);
  ~GeneratorTask() override;

  std::string name() const override;
  std::int64_t dim_x() const override { return settings_.inputs; }
  std::int64_t dim_y() const override { return settings_.outputs; }
  Range range() const override { return settings_.range; }
  // Connects with the first. Throws Error with the generator's own message, or where its answer is none.
  Batch next(Random& random) const override;

 private:
  class Connection;

  GeneratorSettings settings_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Connection> connection_;
};

}  // namespace cmanp::training
