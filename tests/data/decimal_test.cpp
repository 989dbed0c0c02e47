#include "data/decimal.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

namespace cmanp::data {
namespace {

TEST(Decimal, IsExact) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    std::string text = random() % 2 != 0 ? "-" : "";
    const std::size_t digits = 1 + random() % 20, point = random() % 22;
    for (std::size_t d = 0; d < digits; ++d) {
      if (d == point) text += '.';
      text += static_cast<char>('0' + random() % 10);
    }
    if (random() % 8 == 0) text += "e" + std::to_string(static_cast<int>(random() % 560) - 280);
    double value = 0;
    ASSERT_TRUE(parse_decimal(text, value)) << text;
    ASSERT_EQ(value, std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(Decimal, RefusesWhatIsNoNumber) {
  double value = 0;
  for (const char* text : {"", "-", "+", ".", "1.2.3", "1,2", "1 2", "x", "--1", "+-1", "0x10", "1e", "1e999"}) {
    EXPECT_FALSE(parse_decimal(text, value)) << text;
  }
  EXPECT_TRUE(parse_decimal("+1.5", value));
  EXPECT_EQ(value, 1.5);
}

}  // namespace
}  // namespace cmanp::data
