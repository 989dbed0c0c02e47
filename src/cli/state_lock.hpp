// The lock on a file that a verb reads and then replaces, as users meet it: refused, or waited for with --wait.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "files/file_lock.hpp"

namespace cmanp::cli {

CLI::Option* add_wait(CLI::App* verb, bool& wait);

// What to do where another process is at work on `path`: wait, and say so, or fail and say how to wait.
files::FileLock::OnHeld wait_or_refuse(std::string path, bool wait);

inline files::FileLock lock_state(const std::string& path, bool wait) {
  return files::lock_for_update(path, wait_or_refuse(path, wait));
}

}  // namespace cmanp::cli
