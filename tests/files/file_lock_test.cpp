#include "files/file_lock.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmanp/error.hpp>
#include <csignal>
#include <optional>
#include <thread>

#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::files {
namespace {

using testing::error_message;
using testing::TemporaryFolder;

// A process that holds the lock of `path` until it is killed. The constructor returns when it does.
class Holder {
 public:
  explicit Holder(const std::filesystem::path& path) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      const FileLock lock = lock_for_update(path);
      if (write(ends[1], "x", 1) != 1) _exit(1);
      pause();
      _exit(0);
    }
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
  }
  ~Holder() { kill(); }

  pid_t pid() const { return pid_; }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, -1), nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
};

TEST(FileLock, TheSecondIsRefusedWithTheNumberOfTheFirst) {
  const TemporaryFolder folder;
  const Holder holder(folder / "state");
  EXPECT_EQ(error_message([&] { lock_for_update(folder / "state"); }),
            (folder / "state").string() + ": process " + std::to_string(holder.pid()) + " is at work on it");
  EXPECT_NO_THROW(lock_for_update(folder / "other"));
}

TEST(FileLock, IsOneForAllNamesOfTheFile) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("state", folder / "link");  // to what is not there yet
  const FileLock lock = lock_for_update(folder / "state");
  EXPECT_THROW(lock_for_update(folder / "link"), Error);
  EXPECT_THROW(lock_for_update(folder.path() / "." / "state"), Error);
}

TEST(FileLock, EndsWithTheProcessHoweverThatEnds) {
  const TemporaryFolder folder;
  Holder holder(folder / "state");
  holder.kill();
  EXPECT_NO_THROW(lock_for_update(folder / "state"));
  EXPECT_EQ(folder.entries(), 0U);  // and what the killed one left is gone
}

TEST(FileLock, LeavesNothingBehind) {
  const TemporaryFolder folder;
  { const FileLock lock = lock_for_update(folder / "state"); }
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(FileLock, HoldsThoughTheFileIsReplaced) {
  const TemporaryFolder folder;
  folder.write("state", "old");
  const FileLock lock = lock_for_update(folder / "state");
  folder.write("new", "new");
  std::filesystem::rename(folder / "new", folder / "state");
  EXPECT_THROW(lock_for_update(folder / "state"), Error);
}

TEST(FileLock, NamesAsLongAsCanBeHaveOne) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / std::string(255, 'n');
  const FileLock lock = lock_for_update(path);
  EXPECT_THROW(lock_for_update(path), Error);
}

TEST(FileLock, WaitsWhereToldTo) {
  const TemporaryFolder folder;
  std::optional<Holder> holder(folder / "state");
  const pid_t pid = holder->pid();
  pid_t told = 0;
  const FileLock lock = lock_for_update(folder / "state", [&](pid_t who) {
    told = who;
    holder.reset();  // ends while we wait for it
  });
  EXPECT_EQ(told, pid);
}

// Whoever waited for a lock file that its holder then removed must not hold a file that nobody else finds.
TEST(FileLock, OnlyOneOfManyHoldsIt) {
  const TemporaryFolder folder;
  int inside = 0, most = 0;  // guarded by the lock alone
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const FileLock lock = lock_for_update(folder / "state", [](pid_t) {});
        most = std::max(most, ++inside);
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(inside, 0);
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(FileLock, DoesNotFollowAPlantedLink) {
  const TemporaryFolder folder;
  const auto victim = folder.write("victim", "precious");
  std::filesystem::create_symlink(victim, folder / ".state.lock");
  EXPECT_THROW(lock_for_update(folder / "state"), Error);
  EXPECT_EQ(testing::read_file(victim), "precious");
}

}  // namespace
}  // namespace cmanp::files
