// Whether what a plan claims holds in its table.
#pragma once

#include "experiments/report.hpp"

namespace cmanp::experiments {

// Not known while one of its numbers is missing.
CheckedClaim checked(const Claim& claim, const Plan& plan, const std::vector<TableRow>& rows);

}  // namespace cmanp::experiments
