// What a person sees while pictures are packed: a bar, the first broken pictures by name and how many there were, and
// where the pack is kept.
#pragma once

#include <filesystem>
#include <optional>

#include "cli/progress.hpp"
#include "images/pack.hpp"

namespace cmanp::cli {

class PackReport {
 public:
  images::PackEvents events();
  void finish();

 private:
  std::optional<ProgressBar> bar_;
  std::size_t left_out_ = 0;
  std::filesystem::path kept_;
};

}  // namespace cmanp::cli
