#include "cli/completing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmanp/error.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/lower.hpp"
#include "cli/model_summary.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "completion/puzzle.hpp"
#include "completion/sheet.hpp"
#include "completion/tiles.hpp"
#include "files/json.hpp"
#include "images/picture_file.hpp"

namespace cmanp::cli {
namespace {

using images::Image;

constexpr std::size_t kLeastSide = 2, kMostSide = 1024;

bool is_standard(const std::string& path) { return path == "-"; }

Image read_input(const std::string& path) {
  if (!is_standard(path)) return images::read_picture(path);
  constexpr std::size_t kMost = std::size_t{1} << 28;
  std::vector<std::byte> bytes;
  std::array<std::byte, 1 << 16> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), stdin)) {
    bytes.insert(bytes.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(count));
    if (bytes.size() > kMost) throw Error("standard input: is too large for a picture");
  }
  return images::decode_picture(bytes, "standard input");
}

void write_picture(const std::string& path, const Image& image) {
  if (path.empty()) return;
  if (!is_standard(path)) return images::write_png(path, image);
  const std::vector<std::byte> bytes = images::encode_png(image);
  Output output;
  output.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  output.flush();
}

// Pictures are written as PNG; a name that promises another format would lie.
void check_is_png(const std::filesystem::path& path) {
  const std::string ending = base::lower(path.extension().string());
  if (ending.empty() || ending == ".png") return;
  throw Error(fmt::format("{}: pictures are written as PNG, so that the name has to end in .png", path.string()));
}

void check_outputs(const CompleteVerbOptions& options) {
  if (options.sheet.empty() && options.mean.empty() && !options.json) {
    throw CLI::ValidationError("complete", "nothing to make: give --out, --mean or --json");
  }
  int on_standard_output = options.json ? 1 : 0;
  for (const std::string& path : {options.sheet, options.mean}) {
    if (is_standard(path)) {
      ++on_standard_output;
    } else if (!path.empty()) {
      check_output(path, {options.model, options.picture, options.mask});
      check_is_png(path);
    }
  }
  if (!options.sheet.empty() && options.sheet == options.mean && !is_standard(options.mean)) {
    throw CLI::ValidationError("--mean", "is the same file as --out");
  }
  if (on_standard_output > 1)
    throw CLI::ValidationError("-", "standard output has room for one of --out, --mean, --json");
}

// The side of the pictures that a model was trained on, where its file says so: settings of its training.
std::size_t trained_side(const std::string& path) {
  const std::string text = metadata_entry(files::Safetensors::open(path), "provenance");
  const auto provenance = files::try_parse_json(text);
  const nlohmann::ordered_json::json_pointer place("/settings/resolution");
  if (!provenance || !provenance->is_object() || !provenance->contains(place)) return 0;
  const nlohmann::ordered_json& side = provenance->at(place);
  return side.is_number_unsigned() ? side.get<std::size_t>() : 0;
}

std::size_t side_for(const CompleteVerbOptions& options) {
  const std::size_t side = options.resolution > 0 ? options.resolution : trained_side(options.model);
  if (side >= kLeastSide && side <= kMostSide) return side;
  throw Error(
      fmt::format("{}: does not say which size of pictures it was trained on; give --resolution", options.model));
}

// What was done to a picture so that the model can take it.
void note_changes(const Image& picture, const std::string& name, const completion::Puzzle& puzzle) {
  const std::size_t channels = puzzle.seen.channels;
  if (picture.channels > channels) note(fmt::format("{}: made grey, as the model knows no colours", name));
  if (picture.channels < channels) note(fmt::format("{}: grey, for a model of colours", name));
  if (picture.width == puzzle.width() && picture.height == puzzle.height()) return;
  note(fmt::format("{}: {}x{} pixels, completed at the model's own {}x{}; --tiles keeps the size", name, picture.width,
                   picture.height, puzzle.width(), puzzle.height()));
}

completion::Puzzle read_puzzle(const CompleteVerbOptions& options, std::size_t channels, std::size_t side) {
  const std::string name = is_standard(options.picture) ? "standard input" : options.picture;
  const Image picture = read_input(options.picture);
  if (options.tiles && std::min(picture.width, picture.height) < side) {
    throw Error(fmt::format("{}: {}x{} pixels are smaller than a tile of {}x{}; leave out --tiles", name, picture.width,
                            picture.height, side, side));
  }
  completion::Hiding hiding{options.pattern, options.complete.seed, {}, options.mask};
  if (options.keep > 0) hiding.pattern = fmt::format("random:{}", options.keep);
  if (!options.mask.empty()) hiding.mask = images::read_picture(options.mask);
  completion::Puzzle puzzle = make_puzzle(with_channels(picture, channels), name, hiding, options.tiles ? 0 : side);
  note_changes(picture, name, puzzle);
  return puzzle;
}

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json describe(const CompleteVerbOptions& options, const completion::Completion& done, double seconds) {
  const std::optional<double>& mse = done.mean_squared_error;
  return {{"picture", options.picture},
          {"model", options.model},
          {"width", done.mean.width},
          {"height", done.mean.height},
          {"channels", done.mean.channels},
          {"given", done.given},
          {"missing", done.missing},
          {"compared", done.compared},
          {"log_likelihood", number_or_null(done.log_likelihood)},
          {"mean_squared_error", number_or_null(mse)},
          {"rmse", mse ? Json(std::sqrt(*mse)) : Json(nullptr)},
          {"samples", done.samples.size()},
          {"tiles", done.tiles},
          {"seconds", seconds}};
}

}  // namespace

void answer_complete(CompleteVerbOptions options, const std::function<std::unique_ptr<runtime::Learner>()>& open) {
  const auto start = std::chrono::steady_clock::now();
  check_outputs(options);
  const std::unique_ptr<runtime::Learner> learner = open();
  const Config& config = learner->config();
  completion::check_is_for_pictures(config, options.model);
  const std::size_t side = side_for(options);
  const completion::Puzzle puzzle = read_puzzle(options, config.dim_y, side);
  if (options.sheet.empty()) options.complete.samples = 0;  // nobody would see them
  std::optional<completion::SheetLayout> layout;            // made early: it may be too large
  if (!options.sheet.empty()) {
    layout.emplace(puzzle.height(), puzzle.width(), options.complete.samples, puzzle.anything_to_compare());
  }
  if (options.tiles) options.complete.side = side;
  options.complete.score = options.json;
  const std::size_t tiles = options.tiles ? completion::tiles_of(puzzle.height(), puzzle.width(), side).size() : 1;
  ProgressBar progress("completing", tiles, "tiles");
  const completion::Completion done =
      complete(*learner, puzzle, options.complete, [&](std::size_t finished) { progress.update(finished, finished); });
  if (done.blind_tiles > 0) {
    note(fmt::format("{} of {} tiles have no given pixel, and are the model's guess alone", done.blind_tiles,
                     done.tiles));
  }
  if (layout) write_picture(options.sheet, make_sheet(*layout, puzzle, done));
  write_picture(options.mean, done.mean);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (options.json) print_json(describe(options, done, seconds.count()));
}

void add_complete_verb(CLI::App& app, const std::function<void(const CompleteVerbOptions&)>& run) {
  auto options = std::make_shared<CompleteVerbOptions>();
  CLI::App* verb = add_verb(app, "complete", "Completes a picture from some of its pixels",
                            "cmanp complete --model pictures.cmanp photo.png --keep 0.1 --seed 1 -o sheet.png\n"
                            "Transparent pixels are missing always; --keep, --pattern or --mask hide more.");
  add_model(verb, options->model)->required();
  verb->add_option("picture", options->picture, "PNG or JPEG (- is standard input)")->required()->type_name("FILE");
  CLI::Option* keep = verb->add_option("--keep", options->keep, "Given: this share of the pixels, drawn by --seed")
                          ->check(number_between(1e-9, 1.0))
                          ->type_name("SHARE");
  CLI::Option* pattern =
      verb->add_option(
              "--pattern", options->pattern,
              "Given: top, bottom, left, right: that half; hole:SHARE: all but a square in the middle; rows:K: "
              "every K-th row; random:SHARE: as --keep")
          ->excludes(keep)
          ->type_name("PATTERN");
  verb->add_option("--mask", options->mask, "Given: what is light in this picture, of the same size")
      ->excludes(keep)
      ->excludes(pattern)
      ->type_name("FILE");
  verb->add_option("-o,--out", options->sheet,
                   "A PNG with given pixels, mean, uncertainty, truth and samples (- is standard output)")
      ->type_name("FILE");
  verb->add_option(
          "--mean", options->mean,
          "A PNG of the completed picture alone: given pixels as they are, others by their mean (- is standard "
          "output)")
      ->type_name("FILE");
  verb->add_option("--samples", options->complete.samples, "Alternatives on the sheet, drawn pixels fed back")
      ->check(CLI::Range(std::size_t{0}, std::size_t{100}))
      ->capture_default_str()
      ->type_name("N");
  verb->add_flag(
      "--grain", options->complete.grain,
      "Samples with the noise of every pixel; else an eighth of the missing pixels is drawn, and a sample is "
      "the mean given those");
  add_block(verb, options->complete.block, "Pixels drawn and scored jointly by cmanpand")->capture_default_str();
  verb->add_option("--resolution", options->resolution,
                   "Height and width of the pictures that the model was trained on, "
                   "where its file does not say")
      ->check(CLI::Range(kLeastSide, kMostSide))
      ->type_name("N");
  verb->add_flag("--tiles", options->tiles, "Keep the picture's size: complete it in tiles of the model's");
  verb->add_option("--seed", options->complete.seed, "Seed of the kept pixels and of the samples")
      ->capture_default_str()
      ->type_name("N");
  options->complete.threads = default_threads();
  add_threads(verb, options->complete.threads);
  add_json(verb, options->json)->description("Log-likelihood and error as JSON on standard output");
  verb->callback([options, run] { run(*options); });
}

}  // namespace cmanp::cli
