// Which process of a run this is, as torchrun and its like tell it by the environment: RANK of WORLD_SIZE, meeting at
// MASTER_ADDR:MASTER_PORT.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace cmanp::training {

struct World {
  int rank = 0;  // that of rank 0 decides, saves and reports
  int size = 1;
  int on_this_machine = 1;  // processes, by LOCAL_WORLD_SIZE

  // Where they meet; nowhere if there is only one.
  std::string address;
  std::uint16_t port = 0;
  // The launcher keeps the meeting point itself, as torchrun's agent does, and names what belongs to this attempt.
  bool kept_by_launcher = false;
  std::string attempt;
};

using Environment = std::function<const char*(const char* name)>;  // nullptr where there is no such variable

// One process alone where neither RANK nor WORLD_SIZE is set. Throws Error on what makes no sense.
World read_world(const Environment& environment);
World read_world();  // of this process

}  // namespace cmanp::training
