// The processes that train one model together. Every call but rank() and its like is made by all of them, in the same
// order; alone, each does nothing. By c10d with Gloo.
#pragma once

#include <torch/torch.h>

#include <chrono>
#include <cmanp/error.hpp>
#include <memory>
#include <string>
#include <vector>

#include "training/distributed/world.hpp"

namespace cmanp::training {

// Another process is gone or silent: what they did together can not go on.
class GroupError : public Error {
 public:
  using Error::Error;
};

class Group {
 public:
  Group() = default;  // one process alone

  // Meets the others. `patience` is how long any of them may keep the others waiting, now and later. Throws Error.
  Group(const World& world, std::chrono::milliseconds patience);

  int rank() const { return world_.rank; }
  int size() const { return world_.size; }
  bool first() const { return world_.rank == 0; }
  int on_this_machine() const { return world_.on_this_machine; }

  // Each becomes the sum over all processes, the same bits everywhere. Of one type, in one exchange.
  void add_up(std::vector<torch::Tensor> tensors) const;

  // Whether any process says so.
  bool any(bool here) const;

  // What rank 0 has.
  void take_from_first(torch::Tensor tensor) const;
  std::string take_from_first(const std::string& text) const;

  // Returns when all are here or gone: who leaves before may cut off what others still read.
  void part() const noexcept;

 private:
  struct Connection;

  World world_;
  std::shared_ptr<Connection> connection_;  // to the others, if there are any
};

}  // namespace cmanp::training
