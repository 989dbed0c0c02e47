// A picture completed by a model, with its uncertainty, plausible alternatives, and how near they come.
#pragma once

#include <cmanp/model.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "completion/puzzle.hpp"
#include "images/image.hpp"
#include "runtime/learner.hpp"

namespace cmanp::completion {

struct CompleteOptions {
  std::size_t side = 0;  // of a tile; 0: the puzzle is one, of any shape
  std::size_t samples = 5;
  std::size_t block = ContextOptions{}.block;  // pixels that a not-diagonal model draws and scores jointly
  std::uint64_t seed = 0;                      // of the samples; tile t has seed + t
  std::size_t threads = 1;
  // Samples have every missing pixel drawn, with the noise of each. Else some are drawn, and all are shown by their
  // mean given those: an alternative without the grain that nobody would call part of a picture.
  bool grain = false;
  bool score = false;  // log-likelihood, too: for a not-diagonal model it takes an update a block
};

struct Completion {
  images::Image mean;                  // given pixels as they are, missing ones by their mean
  std::vector<float> deviation;        // [height][width]: root mean square over channels, of values from 0 to 1
  std::vector<images::Image> samples;  // given pixels as they are
  std::size_t given = 0, missing = 0;
  std::size_t compared = 0;                  // missing pixels whose truth is known; what follows is over those
  std::optional<double> log_likelihood;      // mean per pixel, summed over channels, as cmanp::score has it
  std::optional<double> mean_squared_error;  // over pixels and channels, of values from 0 to 1
  std::size_t tiles = 0;
  std::size_t blind_tiles = 0;  // with missing pixels and no given one
};

// Throws Error where the model's points are no pixels: x = (row, column), y = 1 or 3 channels.
void check_is_for_pictures(const Config& config, const std::string& name);

// The picture must have the model's channels. `progress` is told the number of finished tiles. What a learner has seen
// before is forgotten; its threads and its block are its own.
Completion complete(runtime::Learner& learner, const Puzzle& puzzle, const CompleteOptions& options,
                    const std::function<void(std::size_t)>& progress = {});

// The same by a context.
Completion complete(const Model& model, const Puzzle& puzzle, const CompleteOptions& options,
                    const std::function<void(std::size_t)>& progress = {});

}  // namespace cmanp::completion
