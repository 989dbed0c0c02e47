// By which of its addresses this machine is seen from another.
#pragma once

#include <string>

namespace cmanp::training {

// The address that this machine's packets to `host` bear: what others that reach `host` can answer to. By its name, a
// machine often knows itself under a loopback address alone. Empty where there is no way to `host`.
std::string address_towards(const std::string& host);

}  // namespace cmanp::training
