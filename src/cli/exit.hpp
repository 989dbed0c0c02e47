// Leaving without another word.
#pragma once

namespace cmanp::cli {

// Thrown to leave at once, saying nothing more, with this exit code.
struct Exit {
  int code = 0;
};

}  // namespace cmanp::cli
