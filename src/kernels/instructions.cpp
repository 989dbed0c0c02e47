#include "kernels/instructions.hpp"

#include "base/lower.hpp"
#include "kernels/targets.hpp"
// Order matters: the targets that are left out come first.
#include <hwy/highway.h>

namespace cmanp::kernels {

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
    names.push_back(base::lower(hwy::TargetName(target)));
  return names;
}

void use_instructions(const std::string& name) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (base::lower(hwy::TargetName(target)) == name) break;
    hwy::DisableTargets(target);  // better than what was asked for
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace cmanp::kernels
