// Starts the processes of a run on this machine, and sees to it that they end together.
#pragma once

#include <functional>

namespace cmanp::training {

// Starts this program `processes` times with its own arguments, each with its RANK, and waits for them. A signal that
// `stop_signal` tells of (0: none yet) is passed on to all. When one fails, the others are ended, and Error says which
// it was. Returns what rank 0 returned.
int launch(int processes, const std::function<int()>& stop_signal);

}  // namespace cmanp::training
