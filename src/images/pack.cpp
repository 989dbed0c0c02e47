#include "images/pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/parallel.hpp"
#include "files/atomic_file.hpp"
#include "files/checksum.hpp"
#include "files/user_folders.hpp"
#include "images/resize.hpp"

namespace cmanp::images {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAtOnce = 512;  // pictures in memory
constexpr std::size_t kLeastSide = 2, kMostSide = 1024;

struct Result {
  Example example;
  std::string broken;  // why, where it is
};

Result read_one(const Source& source, std::size_t index, const DataOptions& options) {
  Result result;
  try {
    result.example = source.read(index);
    Image& image = result.example.image;
    image.alpha.clear();  // a data set's pictures are whole
    image = resize(with_channels(std::move(image), options.channels), options.resolution, options.resolution);
  } catch (const Error& error) {
    result.broken = error.what();
  }
  return result;
}

// Pictures [begin, end), on every core.
std::vector<Result> read_some(const Source& source, std::size_t begin, std::size_t end, const DataOptions& options) {
  std::vector<Result> results(end - begin);
  base::for_each_index(results.size(), base::machine_threads(),
                       [&](std::size_t i) { results[i] = read_one(source, begin + i, options); });
  return results;
}

// The file's data, written and summed up in one go.
class Writer {
 public:
  explicit Writer(const fs::path& path) : file_(path) { file_.write(std::as_bytes(std::span(kPackedMagic))); }

  void add(std::span<const std::uint8_t> bytes) {
    file_.write(std::as_bytes(bytes));
    sum_.add(std::as_bytes(bytes));
  }

  void finish(nlohmann::ordered_json description) {
    description["checksum"] = sum_.text();
    std::string end = description.dump();
    for (std::uint64_t length = end.size(), i = 0; i < sizeof length; ++i) {
      end += static_cast<char>(length >> (8 * i) & 0xFF);
    }
    end += kPackedMagic;
    file_.write(std::as_bytes(std::span(end)));
    file_.commit();
  }

 private:
  files::AtomicFile file_;
  files::Checksum sum_;
};

void check(const DataOptions& options) {
  if (options.resolution < kLeastSide || options.resolution > kMostSide) {
    throw Error(
        fmt::format("resolution is {}; it is {} to {} pixels a side", options.resolution, kLeastSide, kMostSide));
  }
  if (options.channels != 1 && options.channels != 3) {
    throw Error(fmt::format("channels is {}; it is 1 (grey) or 3 (colour)", options.channels));
  }
}

// Where the pack of a folder is kept: a name for people, and one for what decides about it.
fs::path cache_file(const fs::path& path, const DataOptions& options) {
  const fs::path cache = options.cache.empty() ? files::user_cache_folder() : options.cache;
  if (cache.empty()) {
    throw Error(
        "no place for packed pictures: neither XDG_CACHE_HOME nor HOME is set; make a file by `cmanp data pack`");
  }
  files::Checksum sum;
  sum.add(fs::weakly_canonical(path).string());
  sum.add(fmt::format(" {} {} {}", options.transpose, options.test_share, options.split_seed));
  const fs::path whole = fs::absolute(path).lexically_normal();
  const std::string name = (whole.has_filename() ? whole : whole.parent_path()).filename().string();
  return cache / "images" /
         fmt::format("{}-{}x{}-{}.images", name, options.resolution, options.channels, sum.text().substr(0, 8));
}

std::optional<PackedImages> open_if_fresh(const fs::path& file, const std::string& wanted) {
  if (!is_packed(file)) return std::nullopt;
  try {
    PackedImages packed(file);
    if (packed.header().fingerprint == wanted) return packed;
  } catch (const Error&) {  // damaged: it is made anew
  }
  return std::nullopt;
}

PackedImages open_packed(const fs::path& path, const DataOptions& options) {
  PackedImages packed(path);
  const PackedHeader& h = packed.header();
  if ((options.resolution != 0 && (h.height != options.resolution || h.width != options.resolution)) ||
      (options.channels != 0 && h.channels != options.channels)) {
    throw Error(fmt::format("{}: holds pictures of {}x{} with {} channels, not {}x{} with {}", path.string(), h.width,
                            h.height, h.channels, options.resolution, options.resolution, options.channels));
  }
  return packed;
}

}  // namespace

void pack(Source& source, const DataOptions& options, const fs::path& out, const PackEvents& events) {
  check(options);
  const std::string name = fingerprint(source, options);
  source.load();
  Writer writer(out);
  std::vector<std::uint8_t> labels, splits;
  std::size_t left_out = 0;
  std::string last_broken;
  for (std::size_t begin = 0; begin < source.size(); begin += kAtOnce) {
    const std::size_t end = std::min(source.size(), begin + kAtOnce);
    for (const Result& result : read_some(source, begin, end, options)) {
      if (!result.broken.empty()) {
        ++left_out;
        last_broken = result.broken;
        events.left_out(result.broken);
        continue;
      }
      writer.add(result.example.image.pixels);
      labels.push_back(static_cast<std::uint8_t>(result.example.label & 0xFF));
      labels.push_back(static_cast<std::uint8_t>(result.example.label >> 8));
      splits.push_back(static_cast<std::uint8_t>(result.example.split));
    }
    events.progress(end, source.size());
  }
  if (splits.empty()) throw Error(fmt::format("none of {} pictures can be read; {}", source.size(), last_broken));
  writer.add(labels);
  writer.add(splits);
  writer.finish({{"version", kPackedVersion},
                 {"kind", source.kind()},
                 {"count", splits.size()},
                 {"height", options.resolution},
                 {"width", options.resolution},
                 {"channels", options.channels},
                 {"left_out", left_out},
                 {"fingerprint", name}});
}

PackedImages open_images(const fs::path& path, const DataOptions& options, const PackEvents& events) {
  if (is_packed(path)) return open_packed(path, options);
  const std::unique_ptr<Source> source = open_source(path, options);
  const DataOptions whole = resolved(*source, options);
  check(whole);
  const fs::path file = cache_file(path, whole);
  if (std::optional<PackedImages> packed = open_if_fresh(file, fingerprint(*source, whole))) return *std::move(packed);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) throw Error(fmt::format("cannot make folder {}: {}", file.parent_path().string(), error.message()));
  pack(*source, whole, file, events);
  events.kept(file);
  return PackedImages(file);
}

DataOptions resolved(const fs::path& path, const DataOptions& options) {
  if (!is_packed(path)) return resolved(*open_source(path, options), options);
  const PackedImages packed = open_packed(path, options);
  DataOptions whole = options;
  whole.resolution = packed.header().height;
  whole.channels = packed.header().channels;
  return whole;
}

}  // namespace cmanp::images
