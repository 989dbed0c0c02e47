#include "experiments/placeholders.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <regex>
#include <sstream>

namespace cmanp::experiments {
namespace {

const std::regex& pattern() {
  static const std::regex expression(R"(\{([A-Za-z_0-9-]+)\})");
  return expression;
}

}  // namespace

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> placeholders_in(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& word : words) {
    for (std::sregex_iterator found(word.begin(), word.end(), pattern()), end; found != end; ++found) {
      names.push_back((*found)[1]);
    }
  }
  return names;
}

std::vector<std::string> filled_in(const std::vector<std::string>& words,
                                   const std::map<std::string, std::vector<std::string>>& values) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    std::smatch match;
    if (std::regex_match(word, match, pattern())) {
      const auto& value = values.at(match[1]);
      result.insert(result.end(), value.begin(), value.end());
      continue;
    }
    std::string filled;
    auto rest = word.cbegin();
    for (; std::regex_search(rest, word.cend(), match, pattern()); rest = match.suffix().first) {
      const auto& value = values.at(match[1]);
      if (value.size() != 1) throw Error(fmt::format("{}: {{{}}} has no place within a word", word, match[1].str()));
      filled += match.prefix().str() + value.front();
    }
    result.push_back(filled + std::string(rest, word.cend()));
  }
  return result;
}

}  // namespace cmanp::experiments
