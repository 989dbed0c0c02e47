#include "training/distributed/launcher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <chrono>
#include <cmanp/error.hpp>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "training/distributed/meeting_point.hpp"
#include "training/distributed/own_copy.hpp"

namespace cmanp::training {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kBetweenLooks = std::chrono::milliseconds(20);
// For the others to notice, save and leave.
constexpr auto kGrace = std::chrono::seconds(30);

// As torchrun has it.
std::vector<std::string> environment_of(int rank, int processes, std::uint16_t port) {
  return {fmt::format("RANK={}", rank),
          fmt::format("LOCAL_RANK={}", rank),
          fmt::format("WORLD_SIZE={}", processes),
          fmt::format("LOCAL_WORLD_SIZE={}", processes),
          "MASTER_ADDR=127.0.0.1",
          fmt::format("MASTER_PORT={}", port),
          "TORCHELASTIC_USE_AGENT_STORE=True",
          "TORCHELASTIC_RESTART_COUNT=0"};
}

class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks() {  // there are any left only where not all could be started
    signal(SIGKILL);
    for (const Rank& rank : ranks_) {
      if (rank.running) waitpid(rank.process, nullptr, 0);
    }
  }

  void add(pid_t process) { ranks_.push_back({process}); }

  void signal(int number) {
    sent_ = number;
    for (const Rank& rank : ranks_) {
      if (rank.running) kill(rank.process, number);
    }
  }

  // Notes which have ended. Whether any still runs.
  bool look() {
    bool any = false;
    std::vector<std::string> failed;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      Rank& rank = ranks_[i];
      if (rank.running && waitpid(rank.process, &rank.status, WNOHANG) != 0) {
        rank.running = false;
        if (!left_as_asked(rank.status)) failed.push_back(fmt::format("rank {} {}", i, end_of(rank)));
      }
      any = any || rank.running;
    }
    if (failure_.empty()) failure_ = fmt::format("{}", fmt::join(failed, ", "));
    return any;
  }

  // Which failed first, and of what: one, or those that were found at the same look. Empty where none did.
  const std::string& failure() const { return failure_; }

  int exit_code_of_first() const {
    const int status = ranks_.front().status;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  struct Rank {
    pid_t process = 0;
    bool running = true;
    int status = 0;
  };

  // Done, or told to stop: while it trains it saves first, before that the signal ends it.
  bool left_as_asked(int status) const {
    if (WIFSIGNALED(status)) return WTERMSIG(status) == sent_;
    const int code = WEXITSTATUS(status);
    return code == 0 || code == 128 + SIGINT || code == 128 + SIGTERM || code == 128 + SIGHUP;
  }

  static std::string end_of(const Rank& rank) {
    if (WIFEXITED(rank.status)) return fmt::format("ended with exit code {}", WEXITSTATUS(rank.status));
    const int number = WTERMSIG(rank.status);
    return fmt::format("was killed by signal {} ({})", number, strsignal(number));
  }

  std::vector<Rank> ranks_;
  int sent_ = 0;  // the last signal
  std::string failure_;
};

}  // namespace

int launch(int processes, const std::function<int()>& stop_signal) {
  const KeptMeetingPoint meeting_point;
  Ranks ranks;
  for (int rank = 0; rank < processes; ++rank) {
    ranks.add(start_own_copy(environment_of(rank, processes, meeting_point.port())));
  }
  bool passed_on = false, ending = false;
  Clock::time_point last_moment = Clock::time_point::max();
  while (ranks.look()) {
    if (stop_signal() != 0 && !passed_on) {
      ranks.signal(stop_signal());
      passed_on = true;
    }
    if (!ranks.failure().empty() && !ending) {
      ranks.signal(SIGTERM);
      last_moment = Clock::now() + kGrace;
      ending = true;
    }
    if (Clock::now() > last_moment) ranks.signal(SIGKILL);
    std::this_thread::sleep_for(kBetweenLooks);
  }
  if (!ranks.failure().empty()) throw Error(fmt::format("{}, and with it the run", ranks.failure()));
  return ranks.exit_code_of_first();
}

}  // namespace cmanp::training
