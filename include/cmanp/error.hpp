// The one exception type that the library throws: bad input, bad files, failed writes.
#pragma once

#include <cmanp/export.h>

#include <stdexcept>
#include <string>

namespace cmanp {

// What went wrong, as far as a program can act on it. More may follow: treat one that you do not know as `data`.
enum class ErrorKind {
  argument,    // a mistake of the caller: counts that do not fit the model or each other, an option out of its range
  data,        // numbers or contents of files that cannot be used
  system,      // a file, thread or other resource that the system does not give
  wrong_model  // a state of another model, or a model of another kind than the call needs
};

// Its message says what is wrong, where, and where possible what to do.
class CMANP_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ErrorKind kind = ErrorKind::data)
      : std::runtime_error(message), kind_(kind) {}

  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace cmanp
