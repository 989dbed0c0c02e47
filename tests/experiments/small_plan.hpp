// A plan whose commands are a shell's: jobs that take no time.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/plan.hpp"

namespace cmanp::testing {

inline nlohmann::ordered_json small_plan() {
  return nlohmann::ordered_json::parse(R"({
    "title": "A small table",
    "commands": ["-c {script}"],
    "columns": [{"title": "score", "field": "score", "where": {"kind": "a"}}],
    "rows": [{"name": "one", "values": {"script": "true"}, "paper": {"score": [1.5, 0.1]}}, {"name": "two", "values": {"script": "true"}}],
    "budgets": {"smoke": {"steps": 1}, "hour": {"steps": 2, "minutes": 1, "seeds": 2}, "night": {}, "paper": {"steps": 100}}
  })");
}

// A folder of its own for a test, empty; tests run side by side, a process each.
inline std::filesystem::path fresh_folder(const std::string& name) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("experiments_" + name + "_" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

inline std::filesystem::path write_plan(const nlohmann::ordered_json& document, const std::string& name) {
  const std::filesystem::path path = fresh_folder(name) / "small.json";
  std::ofstream(path) << document.dump();
  return path;
}

}  // namespace cmanp::testing
