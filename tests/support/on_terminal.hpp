// Runs a program with one of its outputs on a pseudo-terminal.
#pragma once

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace cmanp::testing {

// What the program writes to `descriptor`, standard output or standard error, where that is a terminal of kind `term`;
// the other goes nowhere. `no_color`: the variable NO_COLOR. NULL leaves a variable out.
inline std::string on_terminal(std::vector<std::string> arguments, int descriptor, const char* term = "xterm",
                               const char* no_color = nullptr) {
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    const auto set = [](const char* name, const char* value) {
      value == nullptr ? unsetenv(name) : setenv(name, value, 1);
    };
    set("TERM", term);
    set("NO_COLOR", no_color);
    dup2(open("/dev/null", O_WRONLY), descriptor == STDOUT_FILENO ? STDERR_FILENO : STDOUT_FILENO);
    execv(words[0], words.data());
    _exit(127);
  }
  std::string written;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = read(terminal, part.data(), part.size())) > 0;) {
    written.append(part.data(), static_cast<std::size_t>(count));
  }
  close(terminal);
  waitpid(child, nullptr, 0);
  return written;
}

}  // namespace cmanp::testing
