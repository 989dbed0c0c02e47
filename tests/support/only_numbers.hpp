// What no flag that takes a number may take.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/run_process.hpp"

namespace cmanp::testing {

struct NumberCheck {
  std::string program;
  std::string no_file;  // stands for files that a verb requires

  static bool is_text(const std::string& type) {
    static const std::set<std::string> text{"FILE", "FOLDER", "FOLDER|FILE", "FILE|RUN", "RUN",   "RUN|FILE",
                                            "TEXT", "NAME",   "PATTERN",     "VERB",     "COLUMN"};
    return text.contains(type);
  }

  // Flags that are read late are complained of late: after what is missing.
  std::vector<std::string> with_required(const nlohmann::json& verb) const {
    std::vector<std::string> arguments{program};
    std::istringstream words(verb["command"].get<std::string>());
    std::string word;
    for (words >> word; words >> word;) arguments.push_back(word);
    for (const auto& option : verb["options"]) {
      if (!option["required"].get<bool>() || !is_text(option["value"])) continue;
      if (!option["flags"].empty()) arguments.push_back(option["flags"][0]);
      arguments.push_back(no_file);
    }
    return arguments;
  }
};

// Of a verb as `help --json` has it, and of those below, every option that takes a value and no free text.
inline void expect_only_numbers(const nlohmann::json& verb, std::size_t& checked, const NumberCheck& check) {
  for (const auto& option : verb["options"]) {
    if (option["flags"].empty() || option["value"].is_null() || NumberCheck::is_text(option["value"])) continue;
    ++checked;
    const std::string flag = option["flags"][0];
    for (const std::string value : {"nan", "inf"}) {
      std::vector<std::string> arguments = check.with_required(verb);
      arguments.insert(arguments.end(), {flag, value});
      const ProcessResult result = run_process(arguments);
      EXPECT_EQ(result.exit_code, 2) << verb["command"] << " " << flag << " " << value << ": " << result.err;
      EXPECT_NE(result.err.find(flag), std::string::npos) << verb["command"] << " " << flag << ": " << result.err;
    }
  }
  if (!verb.contains("verbs")) return;
  for (const auto& below : verb["verbs"]) expect_only_numbers(below, checked, check);
}

}  // namespace cmanp::testing
