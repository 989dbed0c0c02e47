// Where the processes of a run find each other: c10d's store, a server that one of them or their launcher keeps.
#pragma once

#include <torch/torch.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "training/distributed/world.hpp"

namespace cmanp::training {

// Goes to the meeting point; rank 0 opens it, unless the launcher keeps it. Throws Error where it cannot be opened, or
// is not reached within `patience`.
c10::intrusive_ptr<c10d::Store> meet(const World& world, std::chrono::milliseconds patience);

// One that a launcher keeps, on a port that is free.
class KeptMeetingPoint {
 public:
  KeptMeetingPoint();

  std::uint16_t port() const { return port_; }

 private:
  c10::intrusive_ptr<c10d::Store> server_;
  std::uint16_t port_ = 0;
};

// What an exception of c10d or Gloo has to say, without backtrace and places in their sources.
std::string plain_reason(const std::exception& error);

}  // namespace cmanp::training
