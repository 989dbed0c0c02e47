// The one exception type that the library throws: bad input, bad files, failed writes.
// Its message says what is wrong, where, and where possible what to do.
#pragma once

#include <stdexcept>

namespace cmanp {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace cmanp
