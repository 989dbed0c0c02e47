#include "files/tool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmanp/error.hpp>
#include <cstring>

extern char** environ;

namespace cmanp::files {
namespace {

constexpr std::size_t kSaid = 2000;  // bytes of what a failed program said last

// What the program says, as far as it is kept, until it closes its output.
std::string read_all(int descriptor) {
  std::string said;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    said.append(buffer.data(), static_cast<std::size_t>(count));
    if (said.size() > 2 * kSaid) said.erase(0, said.size() - kSaid);
  }
  return said.size() > kSaid ? said.substr(said.size() - kSaid) : said;
}

class Actions {
 public:
  Actions(const std::filesystem::path& folder, int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

void run_tool(const std::vector<std::string>& arguments, const std::filesystem::path& folder, const std::string& hint) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(fmt::format("cannot run {}: {}", arguments[0], std::strerror(errno)));
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t process = 0;
  const int error = posix_spawnp(&process, words[0], Actions(folder, ends[1]).get(), nullptr, words.data(), environ);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    throw Error(error == ENOENT ? fmt::format("{} is not installed; {}", arguments[0], hint)
                                : fmt::format("cannot run {}: {}", arguments[0], std::strerror(error)));
  }
  const std::string said = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw Error(fmt::format("`{}` failed; {}. It said:\n{}", fmt::join(arguments, " "), hint, said));
}

}  // namespace cmanp::files
