// Writing without ever waiting for the reader. Others may share the descriptor, so that it is not made non-blocking
// itself: a pipe or a terminal is opened once more for that.
#pragma once

#include <cstddef>
#include <string_view>

namespace cmanp::cli {

class UnblockedOutput {
 public:
  explicit UnblockedOutput(int descriptor);
  UnblockedOutput(const UnblockedOutput&) = delete;
  UnblockedOutput& operator=(const UnblockedOutput&) = delete;
  ~UnblockedOutput();

  // Writes so much as goes at once, and says how much that was. Fails as Output does.
  std::size_t write(std::string_view text);

  // For poll() by POLLOUT.
  int descriptor() const { return descriptor_; }

 private:
  enum class Kind {
    socket,
    unblocked,   // never waits by itself
    small_steps  // waits where more is written than there is room for
  };

  int descriptor_;
  Kind kind_ = Kind::unblocked;
  bool owned_ = false;
};

}  // namespace cmanp::cli
