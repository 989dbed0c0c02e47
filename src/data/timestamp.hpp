// Times in tables: base/timestamp.hpp has them.
#pragma once

#include "base/timestamp.hpp"

namespace cmanp::data {

using base::format_timestamp;
using base::parse_timestamp;
using base::Timestamp;

}  // namespace cmanp::data
