// Which verbs are the training half's.
#pragma once

#include <string>
#include <vector>

namespace cmanp::cli {

// Its verbs below a verb of both halves; of "": those that are its alone.
std::vector<std::string> training_verbs(const std::string& verb);

// The verb of the training half that these arguments ask for, such as "bench train"; none where it is empty.
std::string training_verb_in(const std::vector<std::string>& arguments);

}  // namespace cmanp::cli
