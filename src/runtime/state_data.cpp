#include "runtime/state_data.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmanp/error.hpp>
#include <cmath>
#include <cstring>

#include "files/quote.hpp"
#include "runtime/absorber.hpp"
#include "runtime/check_points.hpp"
#include "runtime/check_state.hpp"
#include "runtime/config_json.hpp"
#include "runtime/framing.hpp"
#include "runtime/grid.hpp"
#include "runtime/model_data.hpp"
#include "runtime/rolling.hpp"
#include "runtime/unusual_json.hpp"

namespace cmanp::runtime {
namespace {

// What the metadata have in the place of a frame that is yet to be found.
constexpr const char* waiting_for_frame = "open";
// And of one that is found anew as a window goes on.
constexpr const char* found_frame = "found";

class StateReader {
 public:
  explicit StateReader(const files::Safetensors& file) : file_(file) {}

  StateData read() const {
    if (entry("format") != state_format) fail("not a saved state");
    if (entry("format_version") != state_format_version) {
      fail(fmt::format("state format version {} is unknown here; this cmanp reads version {}",
                       files::quote(entry("format_version")), state_format_version));
    }
    StateData data;
    data.model_hash = entry("model_hash");
    data.points = number("points");
    data.dim_x = number("dim_x");
    data.dim_y = number("dim_y");
    if (data.dim_x == 0 || data.dim_y == 0) fail("dim_x and dim_y must be 1 at least");
    if (file_.metadata().contains("arms")) data.arms = number("arms");
    if (file_.metadata().contains("unusual")) {
      data.unusual = parse_unusual(entry("unusual"), data.dim_y, file_.name());
    }
    if (file_.metadata().contains("normalisation")) {
      Config dimensions;
      dimensions.dim_x = data.dim_x;
      dimensions.dim_y = data.dim_y;
      data.normalisation = parse_normalisation(file_, dimensions);
    }
    read_frame(data);
    if (file_.metadata().contains("range")) data.range = parse_range(entry("range"), data.dim_x, file_.name());
    read_pending(data);
    read_window(data);
    read_blocks(data);
    for (const auto& [name, tensor_view] : file_.tensors()) {
      if (name != "max" && name != "sum" && name != "weighted" && name != "pending_x" && name != "pending_y" &&
          name != "recent_x" && name != "recent_y") {
        fail(fmt::format("tensor {} is in no state", files::quote(name)));
      }
    }
    return data;
  }

 private:
  void read_frame(StateData& data) const {
    const auto found = file_.metadata().find("frame");
    if (found == file_.metadata().end()) return;
    data.waiting = found->second == waiting_for_frame;
    if (data.waiting) return;
    Config dimensions;
    dimensions.dim_x = data.dim_x;
    dimensions.dim_y = data.dim_y;
    data.frame = parse_normalisation(file_, dimensions, "frame");
  }

  void read_pending(StateData& data) const {
    if (!file_.tensors().contains("pending_x") && !file_.tensors().contains("pending_y")) return;
    const files::TensorView& x = tensor("pending_x", files::DType::f64, 2);
    const files::TensorView& y = tensor("pending_y", files::DType::f64, 2);
    if (x.shape[1] != data.dim_x || y.shape[1] != data.dim_y || x.shape[0] != y.shape[0]) {
      fail("the shapes of \"pending_x\" and \"pending_y\" do not fit dim_x, dim_y and each other");
    }
    data.pending_x = copy(x);
    data.pending_y = copy(y);
    if (data.pending_count() > data.points) fail("more points are pending than were observed");
    check_finite("pending_x", data.pending_x);
    check_finite("pending_y", data.pending_y);
    if (data.waiting && data.pending_count() != data.points) fail("waits for a frame, but not with all of its points");
    if (data.normalisation && !data.waiting) check_pending(data, *data.normalisation);
  }

  void read_window(StateData& data) const {
    if (!file_.metadata().contains("window")) return;
    data.window = number("window");
    check_window({.window = data.window});
    data.recent.kept = number("window_kept");
    if (file_.metadata().contains("window_gap")) data.recent.gap = number("window_gap");
    data.frame_found = entry("window_frame") == found_frame;
    if (file_.tensors().contains("recent_x") || file_.tensors().contains("recent_y")) {
      const files::TensorView& x = tensor("recent_x", files::DType::f64, 2);
      const files::TensorView& y = tensor("recent_y", files::DType::f64, 2);
      if (x.shape[1] != data.dim_x || y.shape[1] != data.dim_y || x.shape[0] != y.shape[0]) {
        fail("the shapes of \"recent_x\" and \"recent_y\" do not fit dim_x, dim_y and each other");
      }
      data.recent.x = copy(x);
      data.recent.y = copy(y);
      check_finite("recent_x", data.recent.x);
      check_finite("recent_y", data.recent.y);
    }
    const std::size_t count = data.recent.x.size() / data.dim_x;
    if (data.recent.kept > data.window || data.recent.gap > data.window || count > 2 * data.window)
      fail("more observations are kept than its window has");
    if (!data.waiting && count != data.points) fail("its window does not hold the points that it rests on");
  }

  void read_blocks(StateData& data) const {
    const files::TensorView& max = tensor("max", files::DType::f32, 3);
    const files::TensorView& sum = tensor("sum", files::DType::f64, 3);
    const files::TensorView& weighted = tensor("weighted", files::DType::f64, 4);
    const std::size_t blocks = max.shape[0], rows = max.shape[1] * max.shape[2];
    const kernels::Heads heads{max.shape[1], weighted.shape[3]};
    if (max.elements() == 0 || heads.dim == 0 || sum.shape != max.shape || weighted.shape[0] != blocks ||
        weighted.shape[1] != heads.count || weighted.shape[2] != max.shape[2]) {
      fail("the shapes of \"max\", \"sum\" and \"weighted\" do not fit each other");
    }
    // A point adds 1 at most, and the one with the largest score does (but for rounding).
    const auto folded = static_cast<double>(data.points - data.pending_count());
    for (std::size_t b = 0; b < blocks; ++b) {
      kernels::AttentionState state(heads, max.shape[2]);
      copy_part(max, b * rows, state.max);
      copy_part(sum, b * rows, state.sum);
      copy_part(weighted, b * rows * heads.dim, state.weighted);
      check_block(state, 0.99, 1.001 * folded, fmt::format("{}: block {}", file_.name(), b),
                  data.range ? Reach::bounded : Reach::everywhere);
      data.blocks.push_back(std::move(state));
    }
  }

  void check_pending(const StateData& data, const Normalisation& normalisation) const {
    try {
      count_points(normalisation, data.pending_x, data.pending_y);
    } catch (const Error& error) {
      fail(fmt::format("of the points that are pending, {}", error.what()));
    }
  }

  void check_finite(const char* name, const std::vector<double>& values) const {
    for (const double value : values) {
      if (!std::isfinite(value)) fail(fmt::format("\"{}\" holds {}", name, value));
    }
  }

  static std::vector<double> copy(const files::TensorView& view) {
    std::vector<double> values(view.elements());
    std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
    return values;
  }

  template <typename T>
  static void copy_part(const files::TensorView& view, std::size_t first, kernels::Buffer<T>& to) {
    std::memcpy(to.data(), view.bytes.data() + first * sizeof(T), to.bytes());
  }

  const files::TensorView& tensor(const char* name, files::DType dtype, std::size_t dims) const {
    const auto found = file_.tensors().find(name);
    if (found == file_.tensors().end()) fail(fmt::format("tensor \"{}\" is missing", name));
    if (found->second.dtype != dtype || found->second.shape.size() != dims) {
      fail(fmt::format("tensor \"{}\" must be {} with {} dimensions", name, dtype_name(dtype), dims));
    }
    return found->second;
  }

  const std::string& entry(const char* name) const {
    const auto found = file_.metadata().find(name);
    if (found == file_.metadata().end()) fail(fmt::format("not a saved state: its metadata has no \"{}\"", name));
    return found->second;
  }

  std::uint64_t number(const char* name) const {
    const std::string& text = entry(name);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
      fail(fmt::format("metadata \"{}\" is {}, not a whole number", name, files::quote(text)));
    }
    return value;
  }

  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", file_.name(), what)); }

  const files::Safetensors& file_;
};

// A state's tensors side by side, and what they are written from.
struct Written {
  std::vector<float> max;
  std::vector<double> sum, weighted;
  files::Metadata metadata;
  files::TensorViews views;

  explicit Written(const StateData& data) {
    for (const auto& block : data.blocks) {
      max.insert(max.end(), block.max.begin(), block.max.end());
      sum.insert(sum.end(), block.sum.begin(), block.sum.end());
      weighted.insert(weighted.end(), block.weighted.begin(), block.weighted.end());
    }
    const kernels::AttentionState& front = data.blocks.front();
    const std::size_t blocks = data.blocks.size(), heads = front.heads.count, queries = front.queries;
    views["max"] = files::view_of(max, {blocks, heads, queries});
    views["sum"] = files::view_of(sum, {blocks, heads, queries});
    views["weighted"] = files::view_of(weighted, {blocks, heads, queries, front.heads.dim});
    if (data.pending_count() > 0) {
      views["pending_x"] = files::view_of(data.pending_x, {data.pending_count(), data.dim_x});
      views["pending_y"] = files::view_of(data.pending_y, {data.pending_count(), data.dim_y});
    }
    metadata = {{"format", state_format},
                {"format_version", state_format_version},
                {"model_hash", data.model_hash},
                {"points", std::to_string(data.points)},
                {"dim_x", std::to_string(data.dim_x)},
                {"dim_y", std::to_string(data.dim_y)}};
    if (data.normalisation) metadata["normalisation"] = to_json(*data.normalisation);
    if (data.frame) metadata["frame"] = to_json(*data.frame);
    if (data.waiting) metadata["frame"] = waiting_for_frame;
    if (data.range) metadata["range"] = to_json(*data.range);
    if (data.window > 0) {
      metadata["window"] = std::to_string(data.window);
      metadata["window_kept"] = std::to_string(data.recent.kept);
      if (data.recent.gap > 0) metadata["window_gap"] = std::to_string(data.recent.gap);
      metadata["window_frame"] = data.frame_found ? found_frame : "given";
      if (!data.recent.x.empty()) {
        const std::size_t count = data.recent.x.size() / data.dim_x;
        views["recent_x"] = files::view_of(data.recent.x, {count, data.dim_x});
        views["recent_y"] = files::view_of(data.recent.y, {count, data.dim_y});
      }
    }
    if (data.arms > 0) metadata["arms"] = std::to_string(data.arms);
    if (!data.unusual.empty()) metadata["unusual"] = to_json(data.unusual);
  }
  Written(const Written&) = delete;  // views look into it
  Written& operator=(const Written&) = delete;
};

// Where no model is at hand: by the units of whichever state knows them.
void check_mergeable(const StateData& left, const StateData& right) {
  if (right.model_hash != left.model_hash) {
    throw Error(
        fmt::format("states of different models ({} and {}) cannot be merged", left.model_hash, right.model_hash),
        ErrorKind::wrong_model);
  }
  if (left.window > 0 || right.window > 0) {
    throw Error("states that keep a window of their observations do not merge");
  }
  check_same_range(left.range.value_or(Range{}), right.range.value_or(Range{}), "states");
  const kernels::AttentionState &one = left.blocks.front(), &other = right.blocks.front();
  if (right.blocks.size() != left.blocks.size() || other.queries != one.queries ||
      other.heads.count != one.heads.count || other.heads.dim != one.heads.dim || right.dim_x != left.dim_x ||
      right.dim_y != left.dim_y ||
      (left.normalisation && right.normalisation && left.normalisation != right.normalisation)) {
    throw Error("states of one model with different shapes or units cannot be merged");
  }
  if (left.arms != right.arms && left.arms > 0 && right.arms > 0) {
    throw Error(fmt::format("states of agents of {} and of {} arms cannot be merged", left.arms, right.arms));
  }
  if (!left.waiting && !right.waiting) check_same_frame(left.frame, right.frame, "states");
  if (left.points + right.points < left.points) throw Error("the number of their points is beyond all numbers");
  const std::size_t pending = left.pending_count() + right.pending_count();
  if (pending > 2 * kChunk) {  // any two contexts' states merge, but they do not pile up
    throw NeedsModel(
        fmt::format("{} points of these states are pending, and only their model can fold them in", pending));
  }
  const auto& known = left.normalisation ? left.normalisation : right.normalisation;
  Config dimensions;
  dimensions.dim_x = left.dim_x;
  dimensions.dim_y = left.dim_y;
  for (const StateData* state : {&left, &right}) {
    if (state->waiting) continue;
    try {
      count_points(known ? *known : Normalisation::identity(dimensions), state->pending_x, state->pending_y);
    } catch (const Error& error) {
      const std::string message = fmt::format("of the points that are pending, {}", error.what());
      if (known) throw Error(message);
      throw NeedsModel(message + ", or its units are others");
    }
  }
}

}  // namespace

StateData StateData::without_pending() const {
  StateData empty = *this;
  empty.points = 0;
  empty.waiting = false;
  empty.pending_x.clear();
  empty.pending_y.clear();
  empty.recent = {};
  return empty;
}

// What waits on one side alone goes by the frame of the other.
void StateData::merge(const StateData& other) {
  check_mergeable(*this, other);
  if (waiting && !other.waiting) {
    StateData turned = other;
    turned.merge(*this);
    *this = std::move(turned);
    return;
  }
  if (other.waiting && !waiting) {
    StateData framed = other;
    framed.waiting = false;
    framed.frame = frame;
    if (frame) {
      framed.pending_x = x_into_frame(other.pending_x, *frame);
      framed.pending_y = y_into_frame(other.pending_x, other.pending_y, *frame);
    }
    return merge(framed);
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b].merge(other.blocks[b]);
  points += other.points;
  pending_x.insert(pending_x.end(), other.pending_x.begin(), other.pending_x.end());
  pending_y.insert(pending_y.end(), other.pending_y.begin(), other.pending_y.end());
  if (!normalisation) normalisation = other.normalisation;
  if (arms == 0) arms = other.arms;
  unusual.clear();  // of two streams at once nothing was usual yet
}

StateData parse_state(const files::Safetensors& file) { return StateReader(file).read(); }

StateData read_state(const std::filesystem::path& path) {
  const files::Safetensors file = files::Safetensors::open(path);
  StateData data = parse_state(file);
  file.check_unchanged();
  return data;
}

void write_state(const std::filesystem::path& path, const StateData& data) {
  const Written written(data);
  files::write_safetensors(path, written.metadata, written.views);
}

std::vector<std::byte> state_bytes(const StateData& data) {
  const Written written(data);
  return files::safetensors_bytes("state", written.metadata, written.views);
}

}  // namespace cmanp::runtime
