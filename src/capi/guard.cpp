#include "capi/guard.hpp"

#include <cstdio>

namespace {

thread_local char last_error[1024] = "";

}  // namespace

void cmanp::capi::set_last_error(const char* message) noexcept {
  std::snprintf(last_error, sizeof(last_error), "%s", message);
}

extern "C" {

const char* cmanp_last_error() { return last_error; }

const char* cmanp_version() { return CMANP_VERSION; }

uint32_t cmanp_version_number() { return CMANP_VERSION_NUMBER; }
}
