#include "training/distributed/own_copy.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmanp/error.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace cmanp::training {
namespace {

using Strings = std::vector<std::string>;

std::vector<char*> pointers(Strings& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

Strings own_arguments() {
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(stream), {}};
  Strings arguments;
  for (std::size_t begin = 0; begin < all.size(); begin = all.find('\0', begin) + 1) {
    arguments.emplace_back(all.c_str() + begin);
  }
  return arguments;
}

// This process's environment, but for `changes` ("NAME=value").
Strings environment_with(const Strings& changes) {
  Strings result = changes;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::string name = text.substr(0, text.find('=') + 1);
    const bool changed = std::any_of(changes.begin(), changes.end(),
                                     [&](const std::string& change) { return change.starts_with(name); });
    if (!changed) result.push_back(text);
  }
  return result;
}

}  // namespace

pid_t start_own_copy(const std::vector<std::string>& changes) {
  Strings arguments = own_arguments(), environment = environment_with(changes);
  const std::vector<char*> argument_pointers = pointers(arguments), environment_pointers = pointers(environment);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const pid_t starter = getpid(), process = fork();
  if (process < 0) throw Error(fmt::format("cannot start a process: {}", std::generic_category().message(errno)));
  if (process > 0) return process;
  setpgid(0, 0);                 // a group of its own, or Ctrl-C would reach it twice: through its starter as well
  std::signal(SIGHUP, SIG_DFL);  // nohup shields the starter
  prctl(PR_SET_PDEATHSIG, SIGHUP);
  if (getppid() == starter) execve(program.c_str(), argument_pointers.data(), environment_pointers.data());
  _exit(127);
}

}  // namespace cmanp::training
