// Runs a test once for every instruction set that this machine has and the kernels were compiled for, scalar included.
#pragma once

#include <gtest/gtest.h>

#include "kernels/targets.hpp"
// Order matters: the targets that are left out come first.
#include <hwy/highway.h>

namespace cmanp::kernels {

class EveryTarget : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { choose(GetParam()); }
  void TearDown() override { choose(0); }

 private:
  static void choose(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

inline std::string target_name(const testing::TestParamInfo<std::int64_t>& info) { return hwy::TargetName(info.param); }

}  // namespace cmanp::kernels

#define CMANP_ON_EVERY_TARGET(Suite)                                                               \
  INSTANTIATE_TEST_SUITE_P(Targets, Suite, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()), \
                           cmanp::kernels::target_name)
