#include "experiments/claims.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cmanp::experiments {
namespace {

std::optional<double> number_of(const std::string& row, const std::string& column, const Plan& plan,
                                const std::vector<TableRow>& rows) {
  const auto line = std::find_if(rows.begin(), rows.end(), [&](const TableRow& one) { return one.name == row; });
  const auto place =
      std::find_if(plan.columns.begin(), plan.columns.end(), [&](const Column& one) { return one.title == column; });
  if (line == rows.end() || place == plan.columns.end()) return std::nullopt;
  const Cell& cell = line->cells.at(static_cast<std::size_t>(place - plan.columns.begin()));
  return !cell.seeds.empty() ? std::optional(cell.mean) : std::nullopt;
}

}  // namespace

CheckedClaim checked(const Claim& claim, const Plan& plan, const std::vector<TableRow>& rows) {
  CheckedClaim result{claim.says, Verdict::not_known, {}};
  const auto ours = number_of(claim.row, claim.column, plan, rows);
  std::optional<double> bound = claim.bound;
  if (!claim.other_row.empty()) {
    bound = number_of(claim.other_row, claim.other_column, plan, rows);
    if (bound) *bound *= claim.bound;
  }
  if (!ours || !bound) return result;
  const bool held = claim.below ? *ours < *bound : *ours > *bound;
  result.verdict = held ? Verdict::held : Verdict::did_not_hold;
  const char* sign = *ours < *bound ? "<" : *ours > *bound ? ">" : "=";
  result.numbers = fmt::format("{:.3g} {} {:.3g}", *ours, sign, *bound);
  if (!claim.other_row.empty() && claim.bound != 1) {
    result.numbers += fmt::format(" = {:g} × {:.3g}", claim.bound, *bound / claim.bound);
  }
  return result;
}

}  // namespace cmanp::experiments
