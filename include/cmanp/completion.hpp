// Pictures completed from some of their pixels, with uncertainty and alternatives. Pictures are numbers in memory here:
// reading and writing files of them is left to others.
#pragma once

#include <cmanp/export.h>

#include <cmanp/model.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cmanp {

// 8 bits a channel, rows from the top.
struct Picture {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 1;          // 1: grey, 3: red, green, blue
  std::vector<std::uint8_t> pixels;  // [height][width][channels]
};

struct CompletionOptions {
  std::size_t tile = 0;  // side of the squares that a large picture is completed in; 0: it is one, of any shape
  std::size_t samples = 0;
  std::size_t block = ContextOptions{}.block;  // pixels that a not-diagonal model draws jointly
  std::uint64_t seed = 0;                      // of the samples
  std::size_t threads = 1;
  // Samples have every missing pixel drawn, with the noise of each. Else some are drawn, and all are shown by their
  // mean given those: an alternative without grain.
  bool grain = false;
};

struct CompletedPicture {
  Picture mean;                  // given pixels as they are, missing ones by their mean
  std::vector<float> deviation;  // [height][width]: root mean square over channels, of values from 0 to 1
  std::vector<Picture> samples;  // given pixels as they are
};

// Completes a picture by a model whose x is a pixel's row and column and whose y are its channels, as those of the
// image tasks are. `given` [height][width] is not 0 where a pixel is known; what the picture holds elsewhere does not
// matter. `progress` is told the number of finished tiles.
CMANP_API CompletedPicture complete(const Model& model, const Picture& picture, std::span<const std::uint8_t> given,
                                    const CompletionOptions& options = {},
                                    const std::function<void(std::size_t)>& progress = {});

}  // namespace cmanp
