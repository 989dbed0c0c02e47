// The message of the cmanp::Error that a call ends with, or a text that says that there was none.
#pragma once

#include <cmanp/error.hpp>
#include <string>

namespace cmanp::testing {

template <typename Call>
std::string error_message(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

}  // namespace cmanp::testing
