#include "support/run_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace cmanp::testing {

namespace {

struct Pipe {
  int read_end = -1, write_end = -1;

  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    read_end = ends[0];
    write_end = ends[1];
  }
};

void close_if_open(int& descriptor) {
  if (descriptor >= 0) close(std::exchange(descriptor, -1));
}

// For exec: pointers to all, and a null.
std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

// In the child, between fork and exec.
[[noreturn]] void become(const std::vector<std::string>& words, const std::vector<char*>& arguments,
                         const std::vector<char*>& environment, const ProcessOptions& options, int input, int output,
                         int errors) {
  if (!options.stdout_path.empty()) output = open(options.stdout_path.c_str(), O_WRONLY);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  std::signal(SIGPIPE, SIG_DFL);
  if (options.file_size_limit > 0) {
    const rlimit limit{options.file_size_limit, options.file_size_limit};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (run_instead != nullptr && options.environment.empty()) {
    close_range(3, ~0U, 0);
    run_instead(words);
  }
  execve(arguments[0], arguments.data(), environment.data());
  _exit(127);
}

// Appends what there is to read; closes at the end.
void drain(int& descriptor, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) {
    into.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0) {
    close_if_open(descriptor);
  }
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> copies = arguments, environment = options.environment;
  for (char** variable = environ; *variable != nullptr; ++variable) environment.emplace_back(*variable);
  const std::vector<char*> argument_pointers = pointers(copies), environment_pointers = pointers(environment);
  const Pipe input, output, errors;
  std::fflush(nullptr);  // or the copy would write it as well
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    become(arguments, argument_pointers, environment_pointers, options, input.read_end, output.write_end,
           errors.write_end);
  }
  close(input.read_end);
  close(output.write_end);
  close(errors.write_end);
  input_ = input.write_end;
  output_ = output.read_end;
  errors_ = errors.read_end;
  fcntl(input_, F_SETFL, O_NONBLOCK);
  if (options.close_output) close_if_open(output_);
}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close_if_open(input_);
  close_if_open(output_);
  close_if_open(errors_);
}

bool Process::pump(int timeout_ms, std::string& unwritten) {
  // poll() passes over descriptors below zero, which is what closed ones are.
  std::array<pollfd, 3> waiting{pollfd{unwritten.empty() ? -1 : input_, POLLOUT, 0}, pollfd{output_, POLLIN, 0},
                                pollfd{errors_, POLLIN, 0}};
  if (poll(waiting.data(), waiting.size(), timeout_ms) > 0) {
    if (waiting[0].revents != 0) {
      const ssize_t count = ::write(input_, unwritten.data(), unwritten.size());
      if (count > 0) unwritten.erase(0, static_cast<std::size_t>(count));
      if (count < 0 && errno == EPIPE) unwritten.clear();
    }
    if (waiting[1].revents != 0) drain(output_, result_.out);
    if (waiting[2].revents != 0) drain(errors_, result_.err);
  }
  return output_ >= 0 || errors_ >= 0;
}

void Process::write(const std::string& text) {
  std::string unwritten = text;
  while (!unwritten.empty() && pump(1000, unwritten)) {
  }
}

void Process::close_input() { close_if_open(input_); }

std::string Process::read_line(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::string nothing;
  std::size_t newline = 0;
  while ((newline = result_.out.find('\n')) == std::string::npos) {
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("no line in time; stderr: " + result_.err);
    if (!pump(50, nothing)) throw std::runtime_error("output ended; stderr: " + result_.err);
  }
  std::string line = result_.out.substr(0, newline);
  result_.out.erase(0, newline + 1);
  return line;
}

void Process::await(const std::string& what, const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      throw std::runtime_error("waited in vain for " + what + "; stderr: " + result_.err);
    }
    poll(nullptr, 0, 5);
  }
}

void Process::await_error(const std::string& text) {
  std::string nothing;
  await(text, [&] {
    pump(0, nothing);
    return result_.err.find(text) != std::string::npos;
  });
}

void Process::write_and_stall(const std::string& text) {
  std::string unwritten = text;
  await("output that fills its pipe", [&] {
    const ssize_t count = unwritten.empty() ? 0 : ::write(input_, unwritten.data(), unwritten.size());
    if (count > 0) unwritten.erase(0, static_cast<std::size_t>(count));
    int unread = 0;
    ioctl(output_, FIONREAD, &unread);
    return unwritten.empty() && unread >= fcntl(output_, F_GETPIPE_SZ) / 2;  // pages need not be full; the rest comes
  });
}

void Process::await_input_read() {
  await("it to read", [&] {
    int unread = 0;
    return ioctl(input_, FIONREAD, &unread) == 0 && unread == 0;
  });
}

void Process::await_handler(int signal) {
  await("its handler of signal " + std::to_string(signal), [&] {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string word; status >> word;) {
      if (word != "SigCgt:") continue;
      status >> word;
      return (std::stoull(word, nullptr, 16) >> (signal - 1) & 1) != 0;
    }
    return false;
  });
}

void Process::kill(int signal) { ::kill(pid_, signal); }

ProcessResult Process::wait() {
  close_input();
  return wait_with_open_input();
}

ProcessResult Process::wait_unread() {
  const int unread = std::exchange(output_, -1);
  ProcessResult result = wait_with_open_input();
  close(unread);
  return result;
}

ProcessResult Process::wait_with_open_input() {
  std::string nothing;
  while (pump(1000, nothing)) {
  }
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
  return result_;
}

ProcessResult run_process(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  Process process(arguments, options);
  process.write(options.input);
  return process.wait();
}

}  // namespace cmanp::testing
