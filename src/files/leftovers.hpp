// Files that writers make aside, and what becomes of those whose writer was killed.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace cmanp::files {

// Of the file that the process makes aside as its `count`th.
std::string name_of_aside(pid_t process, unsigned count);

// Removes, once for each folder that this process writes to, files of such names that nobody has written to for an hour
// and whose process is gone. What cannot be removed stays.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace cmanp::files
