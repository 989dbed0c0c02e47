// What the cmanp::Error says that a call ends with: its message, or a text that says that there was none.
#pragma once

#include <cmanp/error.hpp>
#include <optional>
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

// Its kind; none where there was none.
template <typename Call>
std::optional<ErrorKind> error_kind(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  return std::nullopt;
}

}  // namespace cmanp::testing
