// How libtorch's threads wait for work. They do so by spinning, which costs a busy machine dozens of times what waking
// up does; but waking up takes as long as a small piece of work, and a training step has hundreds of those. So they
// spin for about that long, and then sleep: a tenth faster than sleeping at once where a core is free for each. libgomp
// reads what it is to do when it is loaded, so that it must be said before.
#pragma once

#include <cstdlib>

namespace cmanp::cli {

// For programs started from here on. False where it was said already, by the user or by us.
inline bool ask_for_sleeping_threads() {
  constexpr const char* name = "OMP_WAIT_POLICY";
  if (std::getenv(name) != nullptr) return false;
  return setenv(name, "passive", 0) == 0 && setenv("GOMP_SPINCOUNT", "30000", 0) == 0;
}

}  // namespace cmanp::cli
