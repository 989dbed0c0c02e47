// Any bytes, as files and as a row of calls with any counts, options and numbers: every call of the C interface comes
// back with a status, and with words where it is not fine.
#include <cmanp/cmanp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "support/temporary_folder.hpp"
#include "tiny_event_model.hpp"
#include "tiny_model.hpp"

namespace {

using namespace cmanp;

void check(cmanp_status status) {
  if (status < CMANP_OK || status > CMANP_WRONG_MODEL) std::abort();
  if (status != CMANP_OK && std::strlen(cmanp_last_error()) == 0) std::abort();
}

// Takes numbers off the front; zeros when there are no more.
class Source {
 public:
  Source(const std::uint8_t* bytes, std::size_t size) : at_(bytes), left_(size) {}

  template <typename T>
  T take() {
    T value{};
    const std::size_t count = std::min(sizeof(T), left_);
    std::memcpy(&value, at_, count);
    at_ += count;
    left_ -= count;
    return value;
  }

  std::size_t below(std::size_t bound) { return take<std::uint8_t>() % bound; }
  bool empty() const { return left_ == 0; }
  const std::uint8_t* rest() const { return at_; }
  std::size_t size() const { return left_; }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

struct Handles {
  Handles() {
    const testing::TemporaryFolder folder;
    runtime::write_model(folder / "model", testing::tiny_model_data(Covariance::cholesky));
    check(cmanp_model_load((folder / "model").c_str(), &model));
    testing::write_small_event_model(folder / "events", testing::tiny_event_config(2));
    check(cmanp_event_model_load((folder / "events").c_str(), &event_model));
    if (model == nullptr || event_model == nullptr) std::abort();
  }

  cmanp_model* model = nullptr;
  cmanp_event_model* event_model = nullptr;
};

// Options of any size: the struct lies at the end of memory that is all the caller's.
template <typename Options>
const Options* any_options(Source& source, std::array<std::uint8_t, 128>& room) {
  if (source.below(4) == 0) return nullptr;
  for (std::uint8_t& byte : room) byte = source.below(3) == 0 ? source.take<std::uint8_t>() : 0;
  auto* options = reinterpret_cast<Options*>(room.data());
  options->size = source.below(4) == 0 ? source.below(room.size() + 1) : sizeof(Options);
  return options;
}

void call_anything(Source source, const Handles& handles) {
  alignas(16) std::array<std::uint8_t, 128> room{};
  constexpr std::size_t kMost = 32;
  std::array<double, kMost> x{}, y{}, mean{}, std{};
  cmanp_context *context = nullptr, *other = nullptr;
  cmanp_event_stream* stream = nullptr;
  const auto* options = any_options<cmanp_context_options>(source, room);
  if (options == nullptr || (options->threads <= 3 && options->block <= 64)) {  // honest and large: slow, and no news
    check(cmanp_context_create_with(handles.model, options, &context));
  }
  check(cmanp_event_stream_create(handles.event_model, &stream));
  for (int calls = 0; calls < 32 && !source.empty(); ++calls) {
    const std::size_t a = source.below(kMost + 1), b = source.below(kMost + 1), c = source.below(kMost + 1);
    for (std::size_t i = 0; i < a; ++i)
      x[i] = source.below(2) == 0 ? 0.1 * static_cast<double>(i) : source.take<double>();
    for (std::size_t i = 0; i < b; ++i) y[i] = source.below(2) == 0 ? 0.2 : source.take<double>();
    const std::string name(1, static_cast<char>(source.take<std::uint8_t>()));
    const double* maybe = source.below(16) == 0 ? nullptr : x.data();
    switch (source.below(11)) {
      case 0:
      case 1:
        check(cmanp_context_observe(context, maybe, a, y.data(), b));
        break;
      case 2:
        check(cmanp_context_predict(context, maybe, a, mean.data(), b, std.data(), c));
        break;
      case 3:
        check(cmanp_context_predict_joint(context, maybe, a, mean.data(), b, std.data(), c));
        break;
      case 4: {
        alignas(16) std::array<std::uint8_t, 128> space{};
        const auto* drawing = any_options<cmanp_sample_options>(source, space);
        check(cmanp_context_sample_with(context, maybe, a, drawing, mean.data(), b));
        break;
      }
      case 5:
        check(cmanp_context_score(context, maybe, a, y.data(), b, source.take<std::size_t>(), mean.data()));
        break;
      case 6: {
        cmanp_bytes* bytes = nullptr;
        check(cmanp_context_to_bytes(context, &bytes));
        check(
            cmanp_context_from_bytes(handles.model, cmanp_bytes_data(bytes), cmanp_bytes_size(bytes), nullptr, &other));
        if (context != nullptr && other == nullptr) std::abort();  // what it wrote, it reads
        check(cmanp_context_merge(context, other));
        cmanp_context_free(other);
        cmanp_bytes_free(bytes);
        break;
      }
      case 7: {
        alignas(16) std::array<std::uint8_t, 128> space{};
        const auto* completing = any_options<cmanp_completion_options>(source, space);
        const bool slow = completing != nullptr && (completing->threads > 3 || completing->block > 64);
        std::array<std::uint8_t, kMost> pixels{}, known{}, filled{};
        std::array<float, kMost> deviation{};
        for (std::size_t i = 0; i < a; ++i) known[i] = i % 3 == 0 ? 1 : 0;
        if (slow) break;
        check(cmanp_complete(handles.model, source.below(6), source.below(6), 1 + 2 * source.below(2), pixels.data(), a,
                             known.data(), b, completing, filled.data(), a, deviation.data(), c, filled.data(), 0));
        break;
      }
      case 8:
      case 9:
        check(cmanp_event_stream_observe(stream, name.c_str(), x[0], static_cast<std::uint32_t>(c % 3)));
        break;
      default: {
        cmanp_event_forecast* forecast = nullptr;
        check(cmanp_event_stream_forecast(stream, name.c_str(), &forecast));
        check(cmanp_event_forecast_quantile(forecast, y[0], mean.data()));
        check(cmanp_event_forecast_intensity(forecast, x[0], mean.data()));
        check(cmanp_event_forecast_marks(forecast, mean.data(), c));
        cmanp_event_forecast_free(forecast);
      }
    }
  }
  cmanp_bytes* states = nullptr;
  cmanp_event_stream* again = nullptr;
  check(cmanp_event_stream_to_bytes(stream, &states));
  check(cmanp_event_stream_from_bytes(handles.event_model, cmanp_bytes_data(states), cmanp_bytes_size(states), &again));
  if (again == nullptr) std::abort();
  cmanp_event_stream_free(again);
  cmanp_bytes_free(states);
  cmanp_context_free(context);
  cmanp_event_stream_free(stream);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Handles handles;
  Source source(bytes, size);
  cmanp_model* model = nullptr;
  cmanp_event_model* event_model = nullptr;
  cmanp_context* context = nullptr;
  cmanp_event_stream* stream = nullptr;
  switch (source.below(5)) {
    case 0:
      check(cmanp_model_from_bytes(source.rest(), source.size(), &model));
      break;
    case 1:
      check(cmanp_event_model_from_bytes(source.rest(), source.size(), &event_model));
      break;
    case 2:
      check(cmanp_context_from_bytes(handles.model, source.rest(), source.size(), nullptr, &context));
      break;
    case 3:
      check(cmanp_event_stream_from_bytes(handles.event_model, source.rest(), source.size(), &stream));
      break;
    default:
      call_anything(source, handles);
  }
  cmanp_model_free(model);
  cmanp_event_model_free(event_model);
  cmanp_context_free(context);
  cmanp_event_stream_free(stream);
  return 0;
}
