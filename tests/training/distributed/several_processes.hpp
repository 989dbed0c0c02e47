// `cmanp train` as several processes, by the launcher or by hand.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <memory>

#include "free_port.hpp"
#include "training/trainer/train_program.hpp"

namespace cmanp::testing {

class SeveralProcesses : public TrainProgram {
 protected:
  // What torchrun would tell a process.
  static std::vector<std::string> environment(int rank, int size, std::uint16_t port) {
    return {fmt::format("RANK={}", rank), fmt::format("WORLD_SIZE={}", size), "MASTER_ADDR=127.0.0.1",
            fmt::format("MASTER_PORT={}", port)};
  }

  // Two processes as on two machines: rank 1 knows nothing of rank 0's folder, `out`.
  std::vector<std::unique_ptr<Process>> start_two(const std::string& out, const std::vector<std::string>& more) const {
    const std::uint16_t port = free_port();
    std::vector<std::unique_ptr<Process>> both;
    for (const int rank : {0, 1}) {
      ProcessOptions options;
      options.environment = environment(rank, 2, port);
      both.push_back(std::make_unique<Process>(train(rank == 0 ? out : "elsewhere", more), options));
    }
    return both;
  }

  // The process that a launcher started as `rank`.
  static pid_t find_rank(const Process& launcher, int rank) {
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", launcher.id()));
    for (pid_t child = 0; children >> child;) {
      const std::string variables = read_file(fmt::format("/proc/{}/environ", child));
      if (variables.find(fmt::format("RANK={}", rank) + '\0') == 0) return child;
    }
    throw std::runtime_error(fmt::format("there is no rank {}", rank));
  }

  static void expect_part(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in: " << text;
  }
};

}  // namespace cmanp::testing
