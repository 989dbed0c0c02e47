#include "experiments/run_jobs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmanp/error.hpp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "experiments/results.hpp"
#include "files/atomic_file.hpp"
#include "files/file_lock.hpp"
#include "files/last_line.hpp"
#include "files/quote.hpp"

namespace cmanp::experiments {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);

struct Busy {
  std::string holder;
};

// In the job's folder, output to a file, everything else that is said appended to its log.
pid_t start(const Job& job, const RunOptions& options, std::size_t command) {
  const fs::path& program = options.program;
  std::vector<std::string> arguments{program.string()};
  arguments.insert(arguments.end(), job.commands[command].begin(), job.commands[command].end());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const auto open_file = [&](const fs::path& path, int flags) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
    if (descriptor < 0) throw Error(fmt::format("{}: {}", path.string(), std::generic_category().message(errno)));
    return descriptor;
  };
  const int output = open_file(printed_by(job.folder, command), O_TRUNC);
  const int log = open_file(job.folder / "log", O_APPEND);
  const std::string folder = job.folder.string();
  std::fflush(nullptr);  // or what is not written yet would be written twice
  const pid_t starter = getpid(), process = fork();
  if (process == 0) {
    setpgid(0, 0);  // a group of its own, or Ctrl-C would reach it twice: through its starter as well
    for (const int number : {SIGHUP, SIGINT, SIGTERM}) std::signal(number, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // it saves and ends
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const bool ready = chdir(folder.c_str()) == 0 && dup2(nothing, 0) == 0 && dup2(output, 1) == 1 && dup2(log, 2) == 2;
    if (ready && getppid() == starter) {
      if (options.instead) {
        close_range(3, ~0U, 0);
        options.instead(job.commands[command]);
      }
      execv(program.c_str(), pointers.data());
    }
    _exit(127);
  }
  const int problem = errno;
  close(output);
  close(log);
  if (process < 0) throw Error(fmt::format("cannot start a process: {}", std::generic_category().message(problem)));
  return process;
}

// A job at work: its commands one after the other, its folder locked.
class Working {
 public:
  Working(const Job& job, const RunOptions& options)
      : job_(&job), options_(&options), lock_(lock_folder(job)), began_(Clock::now()) {
    files::write_file(job.folder / "job.json", identity_of(job, options.version).dump(2) + "\n");
    note_failure(job.folder, "");
    start_next();
  }

  const Job& job() const { return *job_; }
  double seconds() const { return since(began_); }

  // Whether it still runs. Throws Error where a command failed, or where none may follow it and one should.
  bool look(bool may_start) {
    int status = 0;
    rusage used{};
    if (wait4(process_, &status, WNOHANG, &used) == 0) return true;
    const auto of = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    const Taken taken{of(used.ru_utime) + of(used.ru_stime), since(command_began_),
                      static_cast<double>(used.ru_maxrss) / 1e6 * 1024};
    note_taken(job_->folder, command_, taken);
    process_ = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      throw Error(end_of(status, taken));
    }
    if (++command_ < job_->commands.size()) {
      if (!may_start) throw Error("stopped");
      start_next();
      return true;
    }
    finish(job_->folder, job_->commands.size(), job_->pictures, job_->data);
    return false;
  }

  void signal(int number) const {
    if (process_ > 0) kill(process_, number);
  }

 private:
  static double since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

  static files::FileLock lock_folder(const Job& job) {
    return {job.folder / "lock", files::FileLock::AtTheEnd::keep_lock_file,
            [](pid_t holder) { throw Busy{files::holder_name(holder)}; }};
  }

  void start_next() {
    command_began_ = Clock::now();
    std::error_code no_log_yet;
    log_began_ = fs::file_size(log(), no_log_yet);
    if (no_log_yet) log_began_ = 0;
    process_ = start(*job_, *options_, command_);
  }

  fs::path log() const { return job_->folder / "log"; }

  // What it said last is mostly why; its memory is what tells whether it was too large for the machine.
  std::string end_of(int status, const Taken& taken) const {
    const std::string end =
        WIFSIGNALED(status) ? fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                            : fmt::format("ended with exit code {}", WEXITSTATUS(status));
    const std::string said = files::last_line(log(), log_began_);
    return fmt::format("`{}` {}, after {:.0f} s of the processor and with {:.0f} MB in memory at most; see {}{}",
                       job_->commands[command_].front(), end, taken.processor_seconds, taken.megabytes, log().string(),
                       said.empty() ? "" : fmt::format(", which ends with: {}", files::printable(said)));
  }

  const Job* job_;
  const RunOptions* options_;
  files::FileLock lock_;
  std::size_t command_ = 0;
  pid_t process_ = 0;
  Clock::time_point began_, command_began_;
  std::uintmax_t log_began_ = 0;  // how long the log was before the command
};

// Made by other commands or another version: to mix those numbers with new ones would lie.
void check_identity(const Job& job, const std::string& version) {
  const std::vector<std::string> parts = what_differs(job, version);
  if (parts.empty()) return;
  throw Error(fmt::format("{}: was made with another {} than now asked for; take another --out, or remove the folder",
                          (job.folder / "job.json").string(),
                          parts.front() == "commands" ? "plan, budget or choice of settings" : parts.front()));
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

// For the report, which says nothing of where folders and data lie. That a full disk cannot take it must not end the
// others.
void keep_failure(const Job& job, std::string why) {
  replace_all(why, job.folder.string() + "/", "");
  for (std::size_t i = 0; i < job.commands.size(); ++i) {
    for (std::size_t k = 0; k < job.commands[i].size(); ++k) {
      if (job.commands[i][k] != job.recorded[i][k]) replace_all(why, job.commands[i][k], job.recorded[i][k]);
    }
  }
  try {
    note_failure(job.folder, why);
  } catch (const Error&) {
  }
}

}  // namespace

Outcome run_jobs(const std::vector<Job>& jobs, const RunOptions& options, const RunCalls& calls) {
  Outcome outcome;
  std::deque<const Job*> waiting;
  for (const Job& job : jobs) {
    check_identity(job, options.version);
    switch (state_of(job)) {
      case JobState::finished:
        ++outcome.before;
        break;
      case JobState::cannot:
        outcome.left_out.push_back(fmt::format("{}: {}", job.name, job.cannot));
        break;
      case JobState::to_do:
        waiting.push_back(&job);
        break;
    }
  }
  std::vector<std::unique_ptr<Working>> working;
  const auto fail = [&](const Job& job, const std::string& why) {
    outcome.failed.push_back(fmt::format("{}: {}", job.name, why));
    keep_failure(job, why);
    calls.failed(job, why);
  };
  const auto begin = [&](const Job& job) {
    try {
      fs::create_directories(job.folder);
      working.push_back(std::make_unique<Working>(job, options));
      calls.started(job);
    } catch (const Busy& busy) {
      outcome.left_out.push_back(fmt::format("{}: {} is at it", job.name, busy.holder));
    } catch (const std::exception& error) {
      fail(job, error.what());
    }
  };
  bool stopping = false;
  while (!working.empty() || (!waiting.empty() && !stopping)) {
    while (working.size() < options.at_once && !stopping) {
      const auto ready = std::find_if(waiting.begin(), waiting.end(), [](const Job* job) {
        return job->after.empty() || is_finished(job->after_folder);
      });
      if (ready == waiting.end()) break;
      const Job* job = *ready;
      waiting.erase(ready);
      begin(*job);
    }
    if (working.empty() && !stopping) {  // what still waits, waits for a run that nobody here is at
      for (const Job* job : std::exchange(waiting, {})) {
        outcome.left_out.push_back(fmt::format("{}: needs the run of {}, which is not done", job->name, job->after));
      }
      break;
    }
    if (options.stop_signal() != 0 && !stopping) {
      stopping = true;
      for (const auto& one : working) one->signal(SIGTERM);
    }
    std::erase_if(working, [&](const std::unique_ptr<Working>& one) {
      try {
        if (one->look(!stopping)) return false;
        ++outcome.finished;
        calls.finished(one->job(), one->seconds());
      } catch (const std::exception& error) {
        if (stopping) {
          ++outcome.stopped;
        } else {
          fail(one->job(), error.what());
        }
      }
      return true;
    });
    std::vector<const Job*> at_work;
    for (const auto& one : working) at_work.push_back(&one->job());
    calls.waited(at_work);
    std::this_thread::sleep_for(kBetweenLooks);
  }
  outcome.stopped += waiting.size();
  return outcome;
}

}  // namespace cmanp::experiments
