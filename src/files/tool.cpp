#include "files/tool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmanp/error.hpp>
#include <cstring>
#include <utility>

extern char** environ;

namespace cmanp::files {
namespace {

constexpr std::size_t kSaid = 2000;  // bytes of what a failed program said last

class PipeEnd {
 public:
  PipeEnd() = default;
  explicit PipeEnd(int number) : number_(number) {}
  PipeEnd(PipeEnd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  PipeEnd& operator=(PipeEnd&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~PipeEnd() { close(); }

  int get() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

struct Channel {
  PipeEnd ours, theirs;
};

[[noreturn]] void cannot_run(const std::string& program, int error) {
  throw Error(fmt::format("cannot run {}: {}", program, std::strerror(error)));
}

Channel make_pipe(const std::string& program) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) cannot_run(program, errno);
  return {PipeEnd(ends[0]), PipeEnd(ends[1])};
}

// To its standard input: a socket, as writing to a pipe whose reader has died is a signal.
Channel make_feed(const std::string& program) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) cannot_run(program, errno);
  return {PipeEnd(ends[0]), PipeEnd(ends[1])};
}

class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }

  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

pid_t start(const std::vector<std::string>& arguments, Actions& actions, const std::string& hint) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t process = 0;
  const int error = posix_spawnp(&process, words[0], actions.get(), nullptr, words.data(), environ);
  if (error == ENOENT) throw Error(fmt::format("{} is not installed; {}", arguments[0], hint));
  if (error != 0) cannot_run(arguments[0], error);
  return process;
}

void finish(pid_t process, const std::vector<std::string>& arguments, const std::string& said,
            const std::string& hint) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw Error(fmt::format("`{}` failed; {}. It said:\n{}", fmt::join(arguments, " "), hint,
                          said.size() > kSaid ? said.substr(said.size() - kSaid) : said));
}

// Takes what is there; false at the end.
bool take(int descriptor, std::string& to) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count > 0) to.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

void keep_end(std::string& said) {
  if (said.size() > 2 * kSaid) said.erase(0, said.size() - kSaid);
}

// Gives a part of it; false where all is given, or nobody takes it.
bool give(int descriptor, std::string_view& rest) {
  const ssize_t count = ::send(descriptor, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  if (count < 0 && errno != EINTR && errno != EAGAIN) return false;
  return !rest.empty();
}

}  // namespace

void run_tool(const std::vector<std::string>& arguments, const std::filesystem::path& folder, const std::string& hint) {
  Channel output = make_pipe(arguments[0]);
  Actions actions;
  posix_spawn_file_actions_addchdir_np(actions.get(), folder.c_str());
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), output.theirs.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), output.theirs.get(), STDERR_FILENO);
  const pid_t process = start(arguments, actions, hint);
  output.theirs.close();
  std::string said;
  while (take(output.ours.get(), said)) keep_end(said);
  finish(process, arguments, said, hint);
}

std::string run_filter(const std::vector<std::string>& arguments, std::string_view input, std::size_t most,
                       const std::string& hint) {
  Channel feed = make_feed(arguments[0]), output = make_pipe(arguments[0]), errors = make_pipe(arguments[0]);
  Actions actions;
  posix_spawn_file_actions_adddup2(actions.get(), feed.theirs.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), output.theirs.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), errors.theirs.get(), STDERR_FILENO);
  const pid_t process = start(arguments, actions, hint);
  for (Channel* channel : {&feed, &output, &errors}) channel->theirs.close();

  // It reads and writes as it likes: whatever is ready is served, so that nobody waits for each other.
  std::string result, said;
  if (input.empty()) feed.ours.close();
  while (output.ours.get() >= 0 || errors.ours.get() >= 0) {
    pollfd ready[3] = {{feed.ours.get(), POLLOUT, 0}, {output.ours.get(), POLLIN, 0}, {errors.ours.get(), POLLIN, 0}};
    if (::poll(ready, 3, -1) < 0) continue;  // by a signal
    if (ready[0].revents != 0 && !give(feed.ours.get(), input)) feed.ours.close();
    if (ready[1].revents != 0 && (!take(output.ours.get(), result) || result.size() > most)) output.ours.close();
    if (ready[2].revents != 0 && !take(errors.ours.get(), said)) errors.ours.close();
    keep_end(said);
  }
  finish(process, arguments, said, hint);
  if (result.size() > most) throw Error(fmt::format("{} gave more than {} bytes", arguments[0], most));
  return result;
}

}  // namespace cmanp::files
