#include "images/datasets/source.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>

#include "files/checksum.hpp"
#include "images/datasets/cifar_source.hpp"
#include "images/datasets/idx_source.hpp"
#include "images/datasets/picture_folder.hpp"

namespace cmanp::images {

namespace fs = std::filesystem;

std::unique_ptr<Source> open_source(const fs::path& path, const DataOptions& options) {
  if (path.empty()) throw Error("the name of the data is empty");
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    if (auto idx = find_idx(path.parent_path().empty() ? "." : path.parent_path(), path.filename(), options))
      return idx;
    throw Error(fmt::format("{}: there is no such folder of pictures", path.string()));
  }
  if (fs::exists(path / kCelebaPartition, ignored)) return open_celeba(path);
  if (auto idx = find_idx(path, "", options)) return idx;
  if (auto cifar = find_cifar(path)) return cifar;
  return open_picture_folder(path, options);
}

std::string fingerprint(const Source& source, const DataOptions& options) {
  files::Checksum sum;
  sum.add(fmt::format("{} {} {} {} {} {}", source.kind(), options.resolution, options.channels, options.transpose,
                      options.test_share, options.split_seed));
  for (const fs::path& file : source.files()) {
    std::error_code error;  // a file that is not there has neither
    const std::uintmax_t size = fs::file_size(file, error);
    const auto time = fs::last_write_time(file, error).time_since_epoch().count();
    sum.add(fmt::format("\n{} {} {}", file.filename().string(), size, time));
  }
  return sum.text();
}

DataOptions resolved(const Source& source, DataOptions options) {
  constexpr std::size_t kUsualSide = 32;
  if (options.resolution == 0) options.resolution = source.side() > 0 ? source.side() : kUsualSide;
  if (options.channels == 0) options.channels = source.channels();
  return options;
}

}  // namespace cmanp::images
