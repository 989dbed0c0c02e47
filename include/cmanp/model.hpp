// A trained model, read from one file.
#pragma once

#include <cmanp/export.h>

#include <cmanp/config.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cmanp {

namespace runtime {
struct Access;
struct Weights;
}  // namespace runtime

// Memory in bytes, exact: what is allocated, no more and no less.
struct Memory {
  std::size_t weights = 0;  // packed once, shared by every context of the model
  std::size_t state = 0;    // what the observations left behind; constant in their number
  std::size_t cache = 0;    // keys and values that queries read
  std::size_t scratch = 0;  // working space

  std::size_t context() const { return state + cache + scratch; }
  std::size_t total() const { return weights + context(); }
};

// Where points and targets may lie: from low to high, a number for each x that is a place, in the units of the raw
// data.
struct Range {
  std::vector<double> low, high;

  bool empty() const { return low.empty() && high.empty(); }
  // Of points' x, row-major, in rows of as many as there are places, or of `dim_x`; their number: none is.
  std::size_t first_outside(std::span<const double> x, std::size_t dim_x = 0) const;
  bool operator==(const Range&) const = default;
};

inline std::size_t Range::first_outside(std::span<const double> x, std::size_t dim_x) const {
  const std::size_t width = dim_x > 0 ? dim_x : low.empty() ? 1 : low.size(), count = x.size() / width;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t axis = 0; axis < low.size(); ++axis) {
      if (!(x[i * width + axis] >= low[axis] && x[i * width + axis] <= high[axis])) return i;
    }
  }
  return count;
}

// Of a frame, -2 and 2 lie at these ends: of x, where to where the data go, and of y, where nearly all of them lie.
inline constexpr double frame_low = -2, frame_high = 2;
CMANP_API Normalisation frame_between(const Range& x, const Range& y);
inline Range frame_ends(const std::vector<double>& shift, const std::vector<double>& scale) {
  Range ends;
  for (std::size_t c = 0; c < shift.size(); ++c) {
    ends.low.push_back(shift[c] + frame_low * scale[c]);
    ends.high.push_back(shift[c] + frame_high * scale[c]);
  }
  return ends;
}

// What becomes of points outside of the range: refused, or taken for what they tell of places within reach.
enum class Outside { refuse, take };

struct ContextOptions {
  std::size_t threads = 1;  // for observing many points, predicting many targets and drawing many samples
  std::size_t block = 5;    // b_Q: the largest number of targets predicted jointly at once (CMANP-AND)

  // Of models in relative coordinates: the range that latents are laid out over, on which memory depends. Empty: that
  // of the state that is loaded or copied, else the one that the model was trained on.
  Range range = {};
  Outside outside = Outside::refuse;

  // What brings x and y from the caller's units to the model's own scale, (value - shift) / scale, so that it serves
  // data of any units; it belongs to the state. None: no such thing, or, of a model that works in frames
  // (Config::frames), that of the state that is loaded or copied, else one found from the first `warm_up` observations,
  // or by Context::observe_whole from all of them. Until then, answers are the prior's, wide.
  std::optional<Normalisation> frame = {};
  std::size_t warm_up = 32;
  // What goes with a frame that is found: it takes what comes again off y, such as the hours of a day (Season), and
  // deviations are corrected by what held-out observations say of them (WidthCheck).
  bool seasons = true, widths = true;

  // Above 0: the context rests on its latest observations alone, so many at least and twice as many at most, which are
  // kept besides the state; a frame that was found is found anew as they go on, and its range goes with them. For
  // streams that drift or have no end. Such contexts do not merge. 0: nothing is forgotten, or as the state that is
  // loaded has it.
  std::size_t window = 0;
};

// Immutable, cheap to copy (a shared handle), safe to use from many threads.
class CMANP_API Model {
 public:
  static Model load(const std::filesystem::path& path);
  // The same from memory; `name` stands for the file in error messages.
  static Model from_bytes(std::span<const std::byte> bytes, const std::string& name = "model");

  const Config& config() const;
  const Normalisation& normalisation() const;

  // 32 hexadecimal digits over configuration, normalisation and weights; a saved state names the model it belongs to
  // by it.
  const std::string& hash() const;
  std::size_t parameters() const;

  // The frame of data that are at hand as a whole, x and y row-major, by robust statistics: such as a model that works
  // in frames (Config::frames) was trained on. Of parts of the data on several machines, they make states that merge.
  Normalisation find_frame(std::span<const double> x, std::span<const double> y, bool seasons = true,
                           bool widths = true) const;

  // What a context of this model will allocate, known before there is one.
  Memory memory(const ContextOptions& options = {}) const;

 private:
  friend struct runtime::Access;

  explicit Model(std::shared_ptr<const runtime::Weights> weights);

  std::shared_ptr<const runtime::Weights> weights_;
};

}  // namespace cmanp
