#include "cli/training_verbs.hpp"

#include <algorithm>

namespace cmanp::cli {

std::vector<std::string> training_verbs(const std::string& verb) {
  if (verb.empty()) return {"train", "eval", "export", "judge", "models", "reproduce", "signals"};
  if (verb == "bench") return {"train", "events", "compare"};
  if (verb == "events") return {"train", "eval", "baselines", "export"};
  if (verb == "bandit") return {"train", "optimise"};
  if (verb == "data") return {"get"};
  return {};
}

std::string training_verb_in(const std::vector<std::string>& arguments) {
  // Its help is its own as well.
  const auto is_help = [](const std::string& word) { return word == "help" || word == "--complete"; };
  const auto verb = std::find_if_not(arguments.begin(), arguments.end(), is_help);
  if (verb == arguments.end()) return {};
  const auto has = [](const std::string& parent, const std::string& name) {
    const std::vector<std::string> verbs = training_verbs(parent);
    return std::find(verbs.begin(), verbs.end(), name) != verbs.end();
  };
  if (has("", *verb)) return *verb;
  const auto second = verb + 1;
  return second != arguments.end() && has(*verb, *second) ? *verb + " " + *second : std::string();
}

}  // namespace cmanp::cli
