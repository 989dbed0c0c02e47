// Models, streams and forecasts of events of the C API.
#include <algorithm>
#include <cmanp/events.hpp>

#include "capi/guard.hpp"
#include "capi/handles.hpp"

using namespace cmanp::capi;

namespace {

[[noreturn]] void refuse(std::string message) { throw cmanp::Error(message, cmanp::ErrorKind::argument); }

const cmanp::LogNormalMixture& gap_of(const cmanp_event_forecast* forecast) {
  return given(forecast, "forecast").forecast.gap;
}

}  // namespace

extern "C" {

cmanp_status cmanp_event_model_load(const char* path, cmanp_event_model** model) {
  return make_handle(model, "model", [&] { return cmanp::EventModel::load(&given(path, "path")); });
}

cmanp_status cmanp_event_model_from_bytes(const void* bytes, size_t count, cmanp_event_model** model) {
  return make_handle(model, "model", [&] { return cmanp::EventModel::from_bytes(byte_span(bytes, count)); });
}

void cmanp_event_model_free(cmanp_event_model* model) { delete model; }

cmanp_status cmanp_event_model_hash(const cmanp_event_model* model, const char** hash) {
  return guarded([&] { given(hash, "hash") = given(model, "model").model.hash().c_str(); });
}

cmanp_status cmanp_event_model_marks(const cmanp_event_model* model, size_t* marks) {
  return guarded([&] { given(marks, "marks") = given(model, "model").model.mark_names().size(); });
}

cmanp_status cmanp_event_model_mark_name(const cmanp_event_model* model, uint32_t mark, const char** name) {
  return guarded([&] {
    const auto& names = given(model, "model").model.mark_names();
    if (mark >= names.size()) refuse(fmt::format("there is no mark number {}; the model has {}", mark, names.size()));
    given(name, "name") = names[mark].c_str();
  });
}

cmanp_status cmanp_event_model_mark_number(const cmanp_event_model* model, const char* name, uint32_t* mark) {
  return guarded([&] {
    const auto number = given(model, "model").model.mark_number(&given(name, "name"));
    if (!number) refuse("the model knows no mark of this name");
    given(mark, "mark") = *number;
  });
}

cmanp_status cmanp_event_stream_create(const cmanp_event_model* model, cmanp_event_stream** stream) {
  return make_handle(stream, "stream", [&] { return cmanp::EventStream(given(model, "model").model); });
}

cmanp_status cmanp_event_stream_copy(const cmanp_event_stream* stream, cmanp_event_stream** copy) {
  return make_handle(copy, "copy", [&] { return given(stream, "stream").stream; });
}

void cmanp_event_stream_free(cmanp_event_stream* stream) { delete stream; }

cmanp_status cmanp_event_stream_observe(cmanp_event_stream* stream, const char* sequence, double time, uint32_t mark) {
  return guarded([&] { given(stream, "stream").stream.observe(&given(sequence, "sequence"), time, mark); });
}

cmanp_status cmanp_event_stream_size(const cmanp_event_stream* stream, size_t* sequences) {
  return guarded([&] { given(sequences, "sequences") = given(stream, "stream").stream.size(); });
}

cmanp_status cmanp_event_stream_events(const cmanp_event_stream* stream, const char* sequence, uint64_t* events) {
  return guarded(
      [&] { given(events, "events") = given(stream, "stream").stream.events(&given(sequence, "sequence")); });
}

cmanp_status cmanp_event_stream_forget(cmanp_event_stream* stream, const char* sequence) {
  return guarded([&] { given(stream, "stream").stream.forget(&given(sequence, "sequence")); });
}

cmanp_status cmanp_event_stream_save(const cmanp_event_stream* stream, const char* path) {
  return guarded([&] { given(stream, "stream").stream.save(&given(path, "path")); });
}

cmanp_status cmanp_event_stream_load(const cmanp_event_model* model, const char* path, cmanp_event_stream** stream) {
  return make_handle(stream, "stream",
                     [&] { return cmanp::EventStream::load(given(model, "model").model, &given(path, "path")); });
}

cmanp_status cmanp_event_stream_to_bytes(const cmanp_event_stream* stream, cmanp_bytes** bytes) {
  return make_handle(bytes, "bytes", [&] { return given(stream, "stream").stream.to_bytes(); });
}

cmanp_status cmanp_event_stream_from_bytes(const cmanp_event_model* model, const void* bytes, size_t count,
                                           cmanp_event_stream** stream) {
  return make_handle(stream, "stream", [&] {
    return cmanp::EventStream::from_bytes(given(model, "model").model, byte_span(bytes, count));
  });
}

cmanp_status cmanp_event_stream_forecast(cmanp_event_stream* stream, const char* sequence,
                                         cmanp_event_forecast** forecast) {
  return make_handle(forecast, "forecast",
                     [&] { return given(stream, "stream").stream.forecast(&given(sequence, "sequence")); });
}

void cmanp_event_forecast_free(cmanp_event_forecast* forecast) { delete forecast; }

cmanp_status cmanp_event_forecast_quantile(const cmanp_event_forecast* forecast, double probability, double* time) {
  return guarded([&] {
    if (!(probability > 0 && probability < 1)) refuse(fmt::format("{} is no probability between 0 and 1", probability));
    given(time, "time") = gap_of(forecast).quantile(probability);
  });
}

cmanp_status cmanp_event_forecast_cdf(const cmanp_event_forecast* forecast, double time, double* probability) {
  return guarded([&] { given(probability, "probability") = gap_of(forecast).cdf(time); });
}

cmanp_status cmanp_event_forecast_intensity(const cmanp_event_forecast* forecast, double time, double* intensity) {
  return guarded([&] {
    if (!(time > 0)) refuse(fmt::format("a time of {} is not above 0", time));
    given(intensity, "intensity") = gap_of(forecast).intensity(time);
  });
}

cmanp_status cmanp_event_forecast_mean_up_to(const cmanp_event_forecast* forecast, double limit, double* time) {
  return guarded([&] {
    if (!(limit > 0)) refuse(fmt::format("a limit of {} is not above 0", limit));
    given(time, "time") = gap_of(forecast).mean_up_to(limit);
  });
}

cmanp_status cmanp_event_forecast_marks(const cmanp_event_forecast* forecast, double* probabilities, size_t count) {
  return guarded([&] {
    const std::vector<double>& marks = given(forecast, "forecast").forecast.marks;
    if (count != marks.size()) {
      refuse(fmt::format("probabilities holds {} numbers where {} belong", count, marks.size()));
    }
    std::copy(marks.begin(), marks.end(), numbers(probabilities, count, "probabilities").begin());
  });
}
}
