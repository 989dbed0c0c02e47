// How libtorch's threads wait for work. They do so by spinning, which costs a busy machine dozens of times what waking
// up does; libgomp reads what it is to do when it is loaded, so that it must be said before.
#pragma once

#include <cstdlib>

namespace cmanp::cli {

// For programs started from here on. False where it was said already, by the user or by us.
inline bool ask_for_sleeping_threads() {
  constexpr const char* name = "OMP_WAIT_POLICY";
  if (std::getenv(name) != nullptr) return false;
  return setenv(name, "passive", 0) == 0;
}

}  // namespace cmanp::cli
