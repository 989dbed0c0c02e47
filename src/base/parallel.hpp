// Many pieces of work of uneven length on several threads, each piece by whoever is free.
#pragma once

#include <cstddef>
#include <functional>

namespace cmanp::base {

// As many threads as the machine runs at once; one where it does not say.
std::size_t machine_threads();

// Calls work(0) … work(count - 1), the calling thread's share included, and returns when all are done. The first
// exception ends it, after the pieces that have begun, and is thrown again here.
void for_each_index(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work);

}  // namespace cmanp::base
