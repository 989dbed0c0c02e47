// Decimal numbers, fast: most fields of a table are a few digits with a point in them.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace cmanp::data {

// Whether the whole text is a number, and which. Exact to the last bit: a mantissa below 2^53 and a power of ten up to
// 22 are both doubles without error, so that their quotient is rounded once; all else goes the long way.
inline bool parse_decimal(std::string_view text, double& value) {
  constexpr std::array<double, 23> kPowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  std::uint64_t mantissa = 0;
  std::size_t digits = 0, behind = 0;
  for (; at != end && *at >= '0' && *at <= '9'; ++at, ++digits)
    mantissa = 10 * mantissa + static_cast<unsigned>(*at - '0');
  if (at != end && *at == '.') {
    for (++at; at != end && *at >= '0' && *at <= '9'; ++at, ++digits, ++behind) {
      mantissa = 10 * mantissa + static_cast<unsigned>(*at - '0');
    }
  }
  if (at == end && digits > 0 && digits <= 15) {
    const double number = static_cast<double>(mantissa) / kPowers[behind];
    value = negative ? -number : number;
    return true;
  }
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size();
}

}  // namespace cmanp::data
