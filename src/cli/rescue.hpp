// What is kept where work fails.
#pragma once

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cstdio>

namespace cmanp::cli {

// Does the work. Where it throws, `keep` runs before that goes on; what is wrong with that as well is said beside it.
template <class Work, class Keep>
void rescue(const Work& work, const Keep& keep) {
  try {
    work();
  } catch (...) {
    try {
      keep();
    } catch (const Error& error) {
      fmt::print(stderr, "cmanp: error: {}\n", error.what());
    }
    throw;
  }
}

}  // namespace cmanp::cli
