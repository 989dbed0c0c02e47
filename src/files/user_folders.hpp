// Where a user's files go that no flag names.
#pragma once

#include <filesystem>

namespace cmanp::files {

// $XDG_CACHE_HOME/cmanp or ~/.cache/cmanp: what can be made again. Empty where neither is known.
std::filesystem::path user_cache_folder();

// $XDG_DATA_HOME/cmanp or ~/.local/share/cmanp: what was fetched. Empty where neither is known.
std::filesystem::path user_data_folder();

}  // namespace cmanp::files
