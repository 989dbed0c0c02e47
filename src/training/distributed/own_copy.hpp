// Another process of this program.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace cmanp::training {

// Starts this program once more, with its own arguments, and its environment but for `changes` ("NAME=value"). Ctrl-C
// in a terminal does not reach it; when this process ends, it gets SIGHUP, perhaps several. Throws Error.
pid_t start_own_copy(const std::vector<std::string>& changes);

}  // namespace cmanp::training
