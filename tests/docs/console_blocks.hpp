// The console blocks of a Markdown file: what a reader types after `$ `, and what the file says that comes of it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cmanp::testing {

struct ConsoleStep {
  std::size_t line = 0;  // of the command, from 1
  std::string command;   // lines that end in a backslash go on with the next
  std::vector<std::string> output;
};

// All steps of a file's ```console blocks, in order.
std::vector<ConsoleStep> read_console_steps(const std::filesystem::path& file);

// Whether a line is as the file shows it: numbers may differ by rounding, `…` is any text.
bool line_matches(std::string_view shown, std::string_view actual);

// The same for whole outputs; a line `…` is any number of lines.
bool output_matches(const std::vector<std::string>& shown, const std::vector<std::string>& actual);

}  // namespace cmanp::testing
