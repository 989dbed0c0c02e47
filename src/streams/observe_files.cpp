#include "streams/observe_files.hpp"

#include <filesystem>
#include <system_error>

namespace cmanp::streams {
namespace {

[[noreturn]] void rethrow(const Error& error) { throw error; }

// Bytes in the regular files of `paths`, 0 where one is none. Checks their headers by the way.
std::uint64_t check_headers(const std::vector<std::string>& paths, const Config& config,
                            const tables::Reading& reading) {
  std::uint64_t bytes = 0;
  bool known = true;
  for (const std::string& path : paths) {
    std::error_code no_size;
    if (std::filesystem::is_regular_file(path, no_size)) {
      [[maybe_unused]] const tables::CsvReader opened(path, config.dim_x, config.dim_y, tables::Rows::points, reading);
      bytes += std::filesystem::file_size(path);
    } else {
      known = false;
    }
  }
  return known ? bytes : 0;
}

}  // namespace

FilesRead observe_files(const Observe& observe, const Config& config, const std::vector<std::string>& paths,
                        const OnProgress& on_progress, const tables::Reading& reading) {
  FilesRead result;
  const std::uint64_t all_bytes = check_headers(paths, config, reading);
  if (on_progress) on_progress(0, all_bytes, 0);
  PointBatch batch;
  std::uint64_t bytes_before = 0;
  std::uint64_t points = 0;
  for (const std::string& path : paths) {
    tables::CsvReader reader(path, config.dim_x, config.dim_y, tables::Rows::points, reading);
    tables::Row row;
    while (reader.next(row)) {
      batch.add(row);
      ++points;
      if (batch.full()) {
        batch.observe(observe, reader.name(), rethrow);
        if (on_progress) on_progress(bytes_before + reader.bytes_read(), all_bytes, points);
      }
    }
    batch.observe(observe, reader.name(), rethrow);
    bytes_before += reader.bytes_read();
    result.skipped += reader.skipped();
    result.times = result.times || reader.has_times();
  }
  return result;
}

}  // namespace cmanp::streams
