#include "completion/complete.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <future>
#include <memory>
#include <optional>
#include <span>

#include "completion/pixel_order.hpp"
#include "completion/tiles.hpp"
#include "images/pixel_points.hpp"

namespace cmanp::completion {
namespace {

using images::Image;

// With grain, draws are fed back when they are a quarter of what is known: 11 updates from a tenth of a picture to all
// of it. Without, an eighth of the missing pixels is drawn, block by block: enough to decide what the picture is.
constexpr double kGrowth = 0.25;
constexpr std::size_t kDrawnOne = 8;

// Pixels of a tile as points.
struct Pixels {
  std::vector<std::size_t> places;  // in the whole picture
  std::vector<std::size_t> within;  // in the tile
  std::vector<double> x;            // [pixel][2]

  std::size_t size() const { return places.size(); }
};

std::vector<double> values_at(const Image& image, const Pixels& pixels) {
  std::vector<double> y;
  y.reserve(pixels.size() * image.channels);
  for (const std::size_t place : pixels.places) {
    for (std::size_t c = 0; c < image.channels; ++c) {
      y.push_back(images::pixel_value(image.pixels[place * image.channels + c]));
    }
  }
  return y;
}

class Completer {
 public:
  Completer(runtime::Learner& learner, const Puzzle& puzzle, const CompleteOptions& options)
      : learner_(learner),
        puzzle_(puzzle),
        options_(options),
        height_(options.side > 0 ? options.side : puzzle.height()),
        width_(options.side > 0 ? options.side : puzzle.width()),
        order_(coarse_to_fine(height_, width_)) {
    result_.mean = puzzle.seen;
    mean_.resize(puzzle.seen.pixels.size());
    said_.resize(puzzle.seen.size());
    shares_.resize(height_ * width_);
    result_.deviation.resize(puzzle.seen.size());
    result_.samples.assign(options.samples, puzzle.seen);
    result_.given = puzzle.given_pixels();
    result_.missing = puzzle.seen.size() - result_.given;
  }

  void complete(const Tile& tile) {
    const auto given = [&](std::size_t i) { return puzzle_.given[i] != 0; };
    const auto all = [](std::size_t) { return true; };
    const Tile whole{tile.top, tile.left, tile.top, tile.left};
    const Pixels seen = pixels(whole, given);
    const Pixels everything = pixels(whole, all), missing = pixels(whole, std::not_fn(given));
    const Pixels compared = pixels(tile, [&](std::size_t i) { return !given(i) && puzzle_.known[i] != 0; });
    learner_.reset();
    learner_.observe(seen.x, values_at(puzzle_.seen, seen));
    divide(everything);
    predict(everything);
    if (seen.size() == 0 && missing.size() > 0) ++result_.blind_tiles;
    // Scoring in blocks is one thread's work, which leaves the others to the samples.
    std::future<Score> scored;
    if (options_.score && compared.size() > 0) {
      scored = learner_.start_score(compared.x, values_at(puzzle_.truth, compared));
    }
    sample(missing);
    if (scored.valid()) {
      const Score score = scored.get();
      log_likelihood_ += score.log_likelihood * static_cast<double>(score.points);
    }
    ++result_.tiles;
  }

  Completion result() && {
    finish_mean();
    const auto points = static_cast<double>(result_.compared);
    if (result_.compared > 0) {
      result_.mean_squared_error = squared_error_ / (points * static_cast<double>(puzzle_.seen.channels));
      if (options_.score) result_.log_likelihood = log_likelihood_ / points;
    }
    return std::move(result_);
  }

 private:
  // How much of each pixel is this tile's to say, beside what tiles before it said.
  void divide(const Pixels& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t row = all.within[i] / width_, column = all.within[i] % width_;
      const auto weight = static_cast<float>(weight_at(row, height_) * weight_at(column, width_));
      float& said = said_[all.places[i]];
      said += weight;
      shares_[all.within[i]] = weight / said;
    }
  }

  // The tile's own pixels of a kind, coarse to fine.
  template <typename Kind>
  Pixels pixels(const Tile& tile, Kind&& is_one) const {
    Pixels chosen;
    for (const std::uint32_t index : order_) {
      const std::size_t row = index / width_, column = index % width_;
      if (tile.top + row < tile.own_top || tile.left + column < tile.own_left) continue;
      const std::size_t place = (tile.top + row) * puzzle_.width() + tile.left + column;
      if (!is_one(place)) continue;
      chosen.places.push_back(place);
      chosen.within.push_back(index);
      chosen.x.push_back(images::pixel_coordinate(row, height_));
      chosen.x.push_back(images::pixel_coordinate(column, width_));
    }
    return chosen;
  }

  void predict(const Pixels& all) {
    const std::size_t channels = puzzle_.seen.channels;
    std::vector<double> mean(all.size() * channels), std(mean.size());
    learner_.predict(all.x, mean, std);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t place = all.places[i];
      const float share = shares_[all.within[i]];
      double variance = 0;
      for (std::size_t c = 0; c < channels; ++c) {
        float& blended = mean_[place * channels + c];
        blended += share * (static_cast<float>(mean[i * channels + c]) - blended);
        variance += std[i * channels + c] * std[i * channels + c];
      }
      float& deviation = result_.deviation[place];
      deviation += share * (static_cast<float>(std::sqrt(variance / static_cast<double>(channels))) - deviation);
    }
  }

  void finish_mean() {
    const std::size_t channels = puzzle_.seen.channels;
    for (std::size_t place = 0; place < puzzle_.given.size(); ++place) {
      if (puzzle_.given[place] != 0) continue;
      for (std::size_t c = 0; c < channels; ++c) {
        const std::size_t i = place * channels + c;
        result_.mean.pixels[i] = images::pixel_of_value(mean_[i]);
        if (puzzle_.known[place] == 0) continue;
        const double residual = mean_[i] - images::pixel_value(puzzle_.truth.pixels[i]);
        squared_error_ += residual * residual;
      }
      if (puzzle_.known[place] != 0) ++result_.compared;
    }
  }

  void sample(const Pixels& missing) {
    const std::size_t channels = puzzle_.seen.channels;
    const std::size_t count = options_.grain ? missing.size() : (missing.size() + kDrawnOne - 1) / kDrawnOne;
    const std::span<const double> x = std::span(missing.x).first(count * 2);
    std::vector<double> drawn(options_.samples * count * channels), values(missing.size() * channels), std(values);
    learner_.sample(x, drawn,
                    {.draws = options_.samples,
                     .block = options_.block,
                     .seed = options_.seed + result_.tiles,
                     .growth = options_.grain ? kGrowth : 0});
    for (std::size_t s = 0; s < options_.samples; ++s) {
      const std::span<const double> draw = std::span(drawn).subspan(s * count * channels, count * channels);
      if (options_.grain) {
        values.assign(draw.begin(), draw.end());
      } else {
        const std::unique_ptr<runtime::Learner> seen = learner_.copy();
        seen->observe(x, draw);
        seen->predict(missing.x, values, std);
      }
      for (std::size_t i = 0; i < missing.size(); ++i) {
        blend(result_.samples[s], missing.places[i], &values[i * channels], shares_[missing.within[i]]);
      }
    }
  }

  static void blend(Image& image, std::size_t place, const double* values, float share) {
    for (std::size_t c = 0; c < image.channels; ++c) {
      std::uint8_t& pixel = image.pixels[place * image.channels + c];
      const double before = images::pixel_value(pixel);
      pixel = images::pixel_of_value(share == 1 ? values[c] : before + share * (values[c] - before));
    }
  }

  runtime::Learner& learner_;
  const Puzzle& puzzle_;
  const CompleteOptions& options_;
  std::size_t height_, width_;  // of a tile
  std::vector<std::uint32_t> order_;
  Completion result_;
  std::vector<float> mean_;                        // [pixel][channel], blended of the tiles so far
  std::vector<float> said_;                        // [pixel]: weight of the tiles so far
  std::vector<float> shares_;                      // [pixel of the tile]: of this tile in the blend
  double log_likelihood_ = 0, squared_error_ = 0;  // sums
};

}  // namespace

void check_is_for_pictures(const Config& config, const std::string& name) {
  if (config.dim_x == 2 && (config.dim_y == 1 || config.dim_y == 3)) return;
  throw Error(
      fmt::format("{}: is no model for pictures: it knows points of {} in x and {} in y, and a pixel has 2 in x (row, "
                  "column) and 1 "
                  "(grey) or 3 (colour) in y",
                  name, config.dim_x, config.dim_y),
      ErrorKind::wrong_model);
}

Completion complete(runtime::Learner& learner, const Puzzle& puzzle, const CompleteOptions& options,
                    const std::function<void(std::size_t)>& progress) {
  if (puzzle.seen.channels != learner.config().dim_y) {
    throw Error(fmt::format("a picture of {} channels for a model of {}", puzzle.seen.channels, learner.config().dim_y),
                ErrorKind::argument);
  }
  if (std::min(puzzle.height(), puzzle.width()) < std::max<std::size_t>(options.side, 2)) {
    throw Error(
        fmt::format("a picture of {}x{} pixels is smaller than a tile of {}x{}", puzzle.width(), puzzle.height(),
                    std::max<std::size_t>(options.side, 2), std::max<std::size_t>(options.side, 2)),
        ErrorKind::argument);
  }
  Completer completer(learner, puzzle, options);
  const std::vector<Tile> tiles =
      options.side > 0 ? tiles_of(puzzle.height(), puzzle.width(), options.side) : std::vector<Tile>(1);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    completer.complete(tiles[i]);
    if (progress) progress(i + 1);
  }
  return std::move(completer).result();
}

Completion complete(const Model& model, const Puzzle& puzzle, const CompleteOptions& options,
                    const std::function<void(std::size_t)>& progress) {
  runtime::ContextLearner learner(Context(model, {.threads = options.threads, .block = options.block}));
  return complete(learner, puzzle, options, progress);
}

}  // namespace cmanp::completion
