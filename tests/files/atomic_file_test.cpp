#include "files/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "files/safetensors.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::files {
namespace {

namespace fs = std::filesystem;
using testing::error_message;
using testing::read_file;
using testing::TemporaryFolder;

void replace(const fs::path& path, const std::string& content) {
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(content)));
  file.commit();
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

// Runs in a process of its own and gives its exit status as waitpid() does.
int in_child(const std::function<void()>& run) {
  const pid_t child = ::fork();
  if (child == 0) {
    run();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

// While it lives, no file of this process can grow beyond `bytes`: a write fails as it does on a full disk.
class SmallFilesOnly {
 public:
  explicit SmallFilesOnly(rlim_t bytes) {
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const struct rlimit small { bytes, before_.rlim_max };
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallFilesOnly(const SmallFilesOnly&) = delete;
  SmallFilesOnly& operator=(const SmallFilesOnly&) = delete;
  ~SmallFilesOnly() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  struct rlimit before_ {};
  void (*handler_)(int) = nullptr;
};

TEST(AtomicFile, WritesAndReplaces) {
  const TemporaryFolder folder;
  replace(folder / "f", "one");
  EXPECT_EQ(read_file(folder / "f"), "one");
  replace(folder / "f", "another");
  EXPECT_EQ(read_file(folder / "f"), "another");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, TakesNamesOfAnyLengthAndWithoutAFolder) {
  const TemporaryFolder folder;
  replace(folder / std::string(255, 'n'), "long");
  EXPECT_EQ(read_file(folder / std::string(255, 'n')), "long");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  replace("here", "plain");
  fs::current_path(before);
  EXPECT_EQ(read_file(folder / "here"), "plain");
}

TEST(AtomicFile, KeepsTheOldFileUntilCommit) {
  const TemporaryFolder folder;
  folder.write("f", "old");
  {
    AtomicFile file(folder / "f");
    file.write(std::as_bytes(std::span("new")));
    EXPECT_EQ(read_file(folder / "f"), "old");
    EXPECT_EQ(folder.entries(), 2);
  }
  EXPECT_EQ(read_file(folder / "f"), "old");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, KeepsPermissions) {
  const TemporaryFolder folder;
  const mode_t mask = ::umask(027);
  replace(folder / "new", "x");
  ::umask(mask);
  EXPECT_EQ(mode_of(folder / "new"), 0640);
  fs::permissions(folder.write("old", "x"), fs::perms(0604));
  replace(folder / "old", "y");
  EXPECT_EQ(mode_of(folder / "old"), 0604);
}

TEST(AtomicFile, ReplacesWhatALinkPointsTo) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "deep");
  folder.write("deep/target", "old");
  fs::create_symlink("deep/target", folder / "first");
  fs::create_symlink("first", folder / "second");
  replace(folder / "second", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "second"));
  EXPECT_TRUE(fs::is_symlink(folder / "first"));
  EXPECT_EQ(read_file(folder / "deep/target"), "new");

  fs::create_symlink("deep/later", folder / "dangling");
  replace(folder / "dangling", "made");
  EXPECT_EQ(read_file(folder / "deep/later"), "made");

  fs::create_symlink("loop", folder / "loop");
  EXPECT_EQ(error_message([&] { replace(folder / "loop", "x"); }),
            "cannot write " + (folder / "loop").string() + ": Too many levels of symbolic links");
}

TEST(AtomicFile, SaysWhatItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_message([&] { replace(folder / "none/f", "x"); }),
            "cannot write " + (folder / "none/f").string() + ": No such file or directory");
  EXPECT_EQ(error_message([&] { replace(folder.path(), "x"); }),
            "cannot write " + folder.path().string() + ": Is a directory");
  EXPECT_EQ(error_message([&] { replace("/dev/null", "x"); }), "cannot write /dev/null: not a regular file");
  struct stat status {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST(AtomicFile, LeavesReadOnlyFilesAlone) {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::all);
  fs::permissions(folder.write("f", "old"), fs::perms(0444));
  const int status = in_child([&] {
    if (::getuid() == 0 && ::setuid(65534) != 0) ::_exit(2);  // permissions do not bind root
    const std::string message = error_message([&] { replace(folder / "f", "new"); });
    ::_exit(message == "cannot write " + (folder / "f").string() + ": Permission denied" ? 0 : 1);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(folder / "f"), "old");
}

TEST(AtomicFile, AFullDiskLeavesTheOldFileWhole) {
  const TemporaryFolder folder;
  folder.write("f", "old");
  std::string message;
  {
    const SmallFilesOnly limit(100'000);
    message = error_message([&] { replace(folder / "f", std::string(1'000'000, 'x')); });
  }
  EXPECT_EQ(message, "cannot write " + (folder / "f").string() + ": File too large");
  EXPECT_EQ(read_file(folder / "f"), "old");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, AFullDiskLeavesTheOldTensorsWhole) {
  const TemporaryFolder folder;
  const std::vector<float> few(10, 1.0F), many(100'000, 2.0F);
  write_safetensors(folder / "t", {}, {{"a", view_of(few, {10})}});
  {
    const SmallFilesOnly limit(100'000);
    EXPECT_THROW(write_safetensors(folder / "t", {}, {{"a", view_of(many, {100'000})}}), Error);
  }
  EXPECT_EQ(Safetensors::open(folder / "t").tensors().at("a").elements(), 10);
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, AKillInTheMiddleLeavesTheOldFileWhole) {
  const TemporaryFolder folder;
  folder.write("f", "old");
  const int status = in_child([&] {
    AtomicFile file(folder / "f");
    file.write(std::as_bytes(std::span("half of the new")));
    ::raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_file(folder / "f"), "old");
  replace(folder / "f", "new");
  EXPECT_EQ(read_file(folder / "f"), "new");
}

TEST(AtomicFile, RemovesWhatKilledWritersLeft) {
  const TemporaryFolder folder;
  const std::string gone = ".cmanp-999999999-3";  // there are fewer processes
  const auto make = [&](const std::string& name, std::time_t age) {
    const std::time_t then = std::time(nullptr) - age;
    const struct timespec times[2] = {{then, 0}, {then, 0}};
    EXPECT_EQ(::utimensat(AT_FDCWD, folder.write(name, "half").c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  };
  make(gone, 7200);
  make(".cmanp-999999999-4", 60);                              // too young
  make(".cmanp-" + std::to_string(::getppid()) + "-1", 7200);  // its process is there
  for (const char* other : {".cmanp-999999999-x", ".cmanp-999999999-03", ".cmanp-5", "cmanp-999999999-3"})
    make(other, 7200);
  fs::create_symlink("f", folder / ".cmanp-999999999-5");
  replace(folder / "f", "new");
  EXPECT_FALSE(fs::exists(folder / gone));
  EXPECT_EQ(folder.entries(), 8);
}

// Somebody who knows the next name cannot make us write through it.
TEST(AtomicFile, DoesNotFollowAPlantedLink) {
  const TemporaryFolder folder;
  folder.write("victim", "precious");
  const int status = in_child([&] {  // whose count is known: it has not written yet, or the parent's has gone on
    for (unsigned i = 0; i < 1000; ++i) {
      ::symlink("victim", (folder / fmt::format(".cmanp-{}-{}", ::getpid(), i)).c_str());
    }
    replace(folder / "f", "new");
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(folder / "victim"), "precious");
  EXPECT_EQ(read_file(folder / "f"), "new");
}

}  // namespace
}  // namespace cmanp::files
