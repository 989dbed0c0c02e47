#include "capi/guard.hpp"

#include <cstdio>

namespace cmanp::capi {
namespace {

thread_local char last_error[1024] = "";

}  // namespace

void set_last_error(const char* message) noexcept { std::snprintf(last_error, sizeof(last_error), "%s", message); }

cmanp_status status_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::argument:
      return CMANP_BAD_ARGUMENT;
    case ErrorKind::data:
      return CMANP_BAD_DATA;
    case ErrorKind::system:
      return CMANP_SYSTEM;
    case ErrorKind::wrong_model:
      return CMANP_WRONG_MODEL;
  }
  return CMANP_FAILED;
}

}  // namespace cmanp::capi

extern "C" {

const char* cmanp_last_error() { return cmanp::capi::last_error; }

const char* cmanp_version() { return CMANP_VERSION; }

uint32_t cmanp_version_number() { return CMANP_VERSION_NUMBER; }
}
