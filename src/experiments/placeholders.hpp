// {name} in the words of a command.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace cmanp::experiments {

// Between spaces.
std::vector<std::string> words_of(const std::string& text);

// Names of all placeholders, in order.
std::vector<std::string> placeholders_in(const std::vector<std::string>& words);

// With values in their places. A word that is one placeholder alone becomes as many words as its value has; within
// another word the value has to be one. All placeholders must have values.
std::vector<std::string> filled_in(const std::vector<std::string>& words,
                                   const std::map<std::string, std::vector<std::string>>& values);

}  // namespace cmanp::experiments
