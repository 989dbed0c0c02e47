// A message that has to say something.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace cmanp::testing {

inline void expect_part(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

}  // namespace cmanp::testing
