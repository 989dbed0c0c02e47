// Makes files of packed pictures, and finds the one that belongs to a set of pictures.
#pragma once

#include <filesystem>
#include <functional>

#include "images/packed_images.hpp"

namespace cmanp::images {

struct PackEvents {
  std::function<void(std::size_t done, std::size_t all)> progress = [](std::size_t, std::size_t) {};
  std::function<void(const std::string& why)> left_out = [](const std::string&) {};  // a picture, named
  std::function<void(const std::filesystem::path& file)> kept = [](const std::filesystem::path&) {};  // a new pack
};

// Reads all pictures of a source on every core and writes them, at one size, in one step. Throws Error where none is
// whole; `options` as `resolved` gives them.
void pack(Source& source, const DataOptions& options, const std::filesystem::path& out, const PackEvents& events = {});

// The pictures at `path`: a packed file itself, or a folder whose pack is made in the options' cache where it is not
// there yet, is damaged, or the folder has changed. Throws Error where a packed file is not what the options ask for.
PackedImages open_images(const std::filesystem::path& path, const DataOptions& options, const PackEvents& events = {});

// `options` with what is 0 replaced by what is at `path`. Reads no pictures.
DataOptions resolved(const std::filesystem::path& path, const DataOptions& options);

}  // namespace cmanp::images
