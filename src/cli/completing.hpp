// cmanp complete, of either program: its flags, and what it draws, writes and prints. Each program brings what learns.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "completion/complete.hpp"
#include "runtime/learner.hpp"

namespace cmanp::cli {

struct CompleteVerbOptions {
  std::string model, picture, sheet, mean;
  double keep = 0;  // 0: not asked for
  std::string pattern, mask;
  std::size_t resolution = 0;  // 0: the model's
  bool tiles = false;
  completion::CompleteOptions complete;
  bool json = false;
};

void add_complete_verb(CLI::App& app, const std::function<void(const CompleteVerbOptions&)>& run);

// `open` makes a learner that has seen nothing, when what is asked for can be written.
void answer_complete(CompleteVerbOptions options, const std::function<std::unique_ptr<runtime::Learner>()>& open);

}  // namespace cmanp::cli
