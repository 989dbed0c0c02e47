// What is kept where work fails.
#pragma once

#include <cmanp/error.hpp>
#include <string_view>

#include "cli/messages.hpp"

namespace cmanp::cli {

template <class Keep>
void keep_and_say(const Keep& keep, std::string_view failure) {
  try {
    keep();
  } catch (const Error& error) {
    if (error.what() != failure) say_error(error.what());  // the same again is said once
  }
}

// Does the work. Where it throws, `keep` runs before that goes on; what is wrong with that as well is said beside it.
template <class Work, class Keep>
void rescue(const Work& work, const Keep& keep) {
  try {
    work();
  } catch (const Error& failure) {
    keep_and_say(keep, failure.what());
    throw;
  } catch (...) {
    keep_and_say(keep, "");
    throw;
  }
}

}  // namespace cmanp::cli
