// The processes that train one model together; see runs/companions.hpp. Alone, each call does nothing. By c10d with
// Gloo.
#pragma once

#include <torch/torch.h>

#include <chrono>
#include <cmanp/error.hpp>
#include <memory>
#include <string>
#include <vector>

#include "runs/companions.hpp"
#include "training/distributed/world.hpp"

namespace cmanp::training {

using GroupError = runs::LostCompanion;

class Group : public runs::Companions {
 public:
  Group() = default;  // one process alone

  // Meets the others. `patience` is how long any of them may keep the others waiting, now and later. Throws Error.
  Group(const World& world, std::chrono::milliseconds patience);

  int rank() const { return world_.rank; }
  int size() const { return world_.size; }
  bool first() const override { return world_.rank == 0; }
  int on_this_machine() const { return world_.on_this_machine; }

  // Each becomes the sum over all processes, the same bits everywhere. Of one type, in one exchange.
  void add_up(std::vector<torch::Tensor> tensors) const;

  bool any(bool here) const override;
  void take_from_first(torch::Tensor tensor) const;
  std::string take_from_first(const std::string& text) const override;
  void part() const noexcept override;

 private:
  struct Connection;

  World world_;
  std::shared_ptr<Connection> connection_;  // to the others, if there are any
};

}  // namespace cmanp::training
