// The checksum that files of ours carry among their metadata, so that a flipped bit is told: over all that a file says,
// whatever the order that it says it in. Files without one are read as they are.
#pragma once

#include <string>

#include "files/safetensors.hpp"

namespace cmanp::files {

// Adds the checksum of `metadata` and `tensors` to the metadata.
void add_checksum(Metadata& metadata, const TensorViews& tensors);

// Takes the checksum out of the metadata; throws Error where there is one and the file, `name`, is another.
void take_checksum(Metadata& metadata, const TensorViews& tensors, const std::string& name);

}  // namespace cmanp::files
