// MNIST, Fashion-MNIST, EMNIST: a folder of four IDX files.
#pragma once

#include "images/datasets/source.hpp"

namespace cmanp::images {

// Nothing where the folder has no IDX pictures whose names begin with `prefix`; throws Error where they are not whole
// or several sets are there.
std::unique_ptr<Source> find_idx(const std::filesystem::path& folder, const std::string& prefix,
                                 const DataOptions& options);

}  // namespace cmanp::images
