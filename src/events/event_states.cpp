#include "events/event_states.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>

#include "files/json.hpp"
#include "files/quote.hpp"
#include "runtime/check_points.hpp"
#include "runtime/check_state.hpp"

namespace cmanp::events {
namespace {

class StatesReader {
 public:
  StatesReader(const files::Safetensors& file, EventEngine& engine) : file_(file), engine_(engine) {}

  SequenceStates read() const {
    check_header();
    const std::vector<std::string> names = read_names();
    const CmhpConfig& config = engine_.model().config;
    const std::size_t n = names.size(), layers = config.num_layers, heads = config.nhead;
    const std::size_t latents = config.num_latents_per_layer, dim = config.d_model / heads;
    SequenceStates states;
    if (n == 0) return states;
    const auto& max = tensor("max", files::DType::f32, {n, layers, heads, latents});
    const auto& sum = tensor("sum", files::DType::f64, {n, layers, heads, latents});
    const auto& weighted = tensor("weighted", files::DType::f64, {n, layers, heads, latents, dim});
    const auto& token = tensor("token", files::DType::f32, {n, config.d_model});
    const auto& clock = tensor("clock", files::DType::f64, {n, 2});
    const auto& counts = tensor("events", files::DType::u64, {n, 2});
    const std::size_t remembered = config.recent_marks;
    const files::TensorView* recent = remembered > 0 ? &tensor("recent", files::DType::u64, {n, remembered}) : nullptr;
    for (std::size_t i = 0; i < n; ++i) {
      SequenceState state = engine_.begin();
      double times[2];
      copy(clock, i, 2, times);
      std::uint64_t count[2];
      copy(counts, i, 2, count);
      if (count[1] > 0 && count[1] >= config.marks) fail(fmt::format("sequence {}: mark {}", i, count[1]));
      state.events = count[0];
      state.last_mark = static_cast<std::uint32_t>(count[1]);
      copy(token, i, config.d_model, state.token.data());
      state.origin = times[0];
      state.last_time = times[1];
      for (std::size_t b = 0; b < layers; ++b) {
        kernels::AttentionState& block = state.blocks[b];
        copy(max, i * layers + b, block.max.size(), block.max.data());
        copy(sum, i * layers + b, block.sum.size(), block.sum.data());
        copy(weighted, i * layers + b, block.weighted.size(), block.weighted.data());
      }
      if (recent != nullptr) {
        std::vector<std::uint64_t> marks(remembered);
        copy(*recent, i, remembered, marks.data());
        restore(state.recent, marks, names[i]);
      }
      check(state, names[i]);
      if (!states.emplace(names[i], std::move(state)).second) {
        fail(fmt::format("sequence {} is there twice", files::quote(names[i])));
      }
    }
    return states;
  }

 private:
  void check_header() const {
    if (entry("format") != event_states_format) fail("not a file of event states");
    if (entry("format_version") != event_states_version) {
      fail(fmt::format("version {} of event states is unknown here; this cmanp reads version {}",
                       files::quote(entry("format_version")), event_states_version));
    }
    if (entry("model_hash") != engine_.model().hash) {
      throw Error(fmt::format("{}: states of another model (they belong to {}, this model is {})", file_.name(),
                              files::quote(entry("model_hash")), engine_.model().hash),
                  ErrorKind::wrong_model);
    }
  }

  std::vector<std::string> read_names() const {
    const auto parsed = files::parse_json(entry("sequences"), fmt::format("{}: metadata \"sequences\"", file_.name()));
    if (!parsed.is_array()) fail("metadata \"sequences\" is not a list of names");
    std::vector<std::string> names;
    for (const auto& name : parsed) {
      if (!name.is_string()) fail("metadata \"sequences\" is not a list of names");
      names.push_back(name.get<std::string>());
    }
    return names;
  }

  // What is behind the last mark is their number.
  void restore(RecentMarks& recent, const std::vector<std::uint64_t>& marks, const std::string& name) const {
    const std::size_t none = engine_.model().config.marks;
    const auto end = std::find(marks.begin(), marks.end(), none);
    for (auto mark = std::make_reverse_iterator(end); mark != marks.rend(); ++mark) {
      if (*mark >= none) fail(fmt::format("sequence {}: mark {}", files::quote(name), *mark));
      recent.see(static_cast<std::uint32_t>(*mark));
    }
  }

  void check(const SequenceState& state, const std::string& name) const {
    bool fine = std::isfinite(state.origin) && std::isfinite(state.last_time) && state.last_time >= state.origin;
    for (const float value : state.token) fine = fine && std::isfinite(value);
    if (!fine) fail(fmt::format("sequence {}: holds numbers that are no state", files::quote(name)));
    // The start and every event add 1 at most. But what ageing rounds off the largest score goes into the sums, so that
    // they may drift by orders of magnitude.
    const double most = runtime::kLargest * (static_cast<double>(state.events) + 1);
    for (const auto& block : state.blocks) {
      runtime::check_block(block, 0, most, fmt::format("{}: sequence {}", file_.name(), files::quote(name)));
    }
  }

  template <typename T>
  static void copy(const files::TensorView& view, std::size_t part, std::size_t count, T* to) {
    std::memcpy(to, view.bytes.data() + part * count * sizeof(T), count * sizeof(T));
  }

  const files::TensorView& tensor(const char* name, files::DType dtype, const std::vector<std::size_t>& shape) const {
    const auto found = file_.tensors().find(name);
    if (found == file_.tensors().end()) fail(fmt::format("tensor \"{}\" is missing", name));
    if (found->second.dtype != dtype || found->second.shape != shape) {
      fail(fmt::format("tensor \"{}\" must be {} [{}]", name, files::dtype_name(dtype), fmt::join(shape, ", ")));
    }
    return found->second;
  }

  const std::string& entry(const char* name) const {
    const auto found = file_.metadata().find(name);
    if (found == file_.metadata().end()) fail(fmt::format("its metadata has no \"{}\"", name));
    return found->second;
  }

  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", file_.name(), what)); }

  const files::Safetensors& file_;
  EventEngine& engine_;
};

template <typename T, class Range>
void append(std::vector<T>& to, const Range& from, std::size_t count) {
  to.insert(to.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

SequenceStates parse_states(const files::Safetensors& file, EventEngine& engine) {
  return StatesReader(file, engine).read();
}

SequenceStates load_states(const std::filesystem::path& path, EventEngine& engine) {
  const files::Safetensors file = files::Safetensors::open(path);
  SequenceStates states = parse_states(file, engine);
  file.check_unchanged();
  return states;
}

namespace {

// Calls what(metadata, tensors) with all that a file of states holds.
template <typename What>
auto with_contents(const EventModel& model, const SequenceStates& states, const What& what) {
  const CmhpConfig& config = model.config;
  std::vector<float> max, token;
  std::vector<double> sum, weighted, clock;
  std::vector<std::uint64_t> events, recent;
  std::vector<std::string> names;
  for (const auto& [name, state] : states) {
    names.push_back(name);
    events.insert(events.end(), {state.events, config.marks > 0 ? state.last_mark : 0});
    clock.insert(clock.end(), {state.origin, state.last_time});
    append(token, state.token, config.d_model);
    recent.insert(recent.end(), state.recent.marks().begin(), state.recent.marks().end());
    recent.resize(names.size() * config.recent_marks, config.marks);
    for (const auto& block : state.blocks) {
      append(max, block.max, block.max.size());
      append(sum, block.sum, block.sum.size());
      append(weighted, block.weighted, block.weighted.size());
    }
  }
  const std::size_t n = states.size(), layers = config.num_layers, heads = config.nhead;
  const std::size_t latents = config.num_latents_per_layer;
  files::TensorViews views;
  if (n > 0) {
    views["max"] = files::view_of(max, {n, layers, heads, latents});
    views["sum"] = files::view_of(sum, {n, layers, heads, latents});
    views["weighted"] = files::view_of(weighted, {n, layers, heads, latents, config.d_model / heads});
    views["token"] = files::view_of(token, {n, config.d_model});
    views["clock"] = files::view_of(clock, {n, 2});
    views["events"] = files::view_of(events, {n, 2});
    if (!recent.empty()) views["recent"] = files::view_of(recent, {n, config.recent_marks});
  }
  const files::Metadata metadata{{"format", event_states_format},
                                 {"format_version", event_states_version},
                                 {"model_hash", model.hash},
                                 {"sequences", nlohmann::json(names).dump()}};
  return what(metadata, views);
}

}  // namespace

void save_states(const std::filesystem::path& path, const EventModel& model, const SequenceStates& states) {
  with_contents(model, states, [&](const files::Metadata& metadata, const files::TensorViews& tensors) {
    files::write_safetensors(path, metadata, tensors);
  });
}

std::vector<std::byte> states_bytes(const EventModel& model, const SequenceStates& states) {
  return with_contents(model, states, [](const files::Metadata& metadata, const files::TensorViews& tensors) {
    return files::safetensors_bytes("states", metadata, tensors);
  });
}

}  // namespace cmanp::events
