// Columns that are inputs, as a setting has them: JSON.
#pragma once

#include <string>
#include <vector>

#include "data/known_columns.hpp"

namespace cmanp::training {

std::string to_text(const std::vector<data::KnownColumn>& columns);

// Those of setting `key`, which names them, as its `key`_as has them. Throws Error.
std::vector<data::KnownColumn> parse_known_columns(const std::string& text, const std::vector<std::string>& names,
                                                   const std::string& key);

}  // namespace cmanp::training
