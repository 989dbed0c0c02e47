// Tables of any size into a context, in memory that does not grow.
#pragma once

#include <cmanp/config.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "streams/point_batch.hpp"

namespace cmanp::streams {

// Told, every so often, of the bytes read so far, of all bytes there are (0 where one of the files is a pipe and there
// is no telling), and of the points in them.
using OnProgress = std::function<void(std::uint64_t bytes, std::uint64_t all_bytes, std::uint64_t points)>;

// What was there besides points.
struct FilesRead {
  std::uint64_t skipped = 0;  // points without a y
  bool times = false;         // x are seconds since 1970, and were ISO 8601
};

// Regular files have their headers checked before the first row of any is read. Throws Error with file and line.
FilesRead observe_files(const Observe& observe, const Config& config, const std::vector<std::string>& paths,
                        const OnProgress& on_progress = {}, const tables::Reading& reading = {});

}  // namespace cmanp::streams
