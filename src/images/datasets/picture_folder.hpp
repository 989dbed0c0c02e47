// Folders of JPEG and PNG pictures: CelebA's, with its list of splits, and any other.
#pragma once

#include "images/datasets/source.hpp"

namespace cmanp::images {

constexpr const char* kCelebaPartition = "list_eval_partition.txt";

// `img_align_celeba/` beside the list. Pictures are not cropped, as the published results' were not.
std::unique_ptr<Source> open_celeba(const std::filesystem::path& folder);

// All pictures in the folder and the folders in it; a picture's class is the number of the first folder below, by name.
// A share of them, drawn by seed and names, is for testing. Throws Error where there are none.
std::unique_ptr<Source> open_picture_folder(const std::filesystem::path& folder, const DataOptions& options);

}  // namespace cmanp::images
