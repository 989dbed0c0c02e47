// cmanp.EventStream: sequences of events that come in, by name.
#include <pybind11/stl.h>

#include <cmanp/error.hpp>
#include <cmanp/events.hpp>

#include "arrays.hpp"
#include "documentation.hpp"
#include "guarded.hpp"
#include "models.hpp"

namespace cmanp::python {
namespace {

using Stream = Guarded<EventStream, EventModel>;

struct Forecast {
  EventForecast content;
  Shared<EventModel> model;
};

std::unique_ptr<Stream> make_stream(const Shared<EventModel>& model) {
  return std::make_unique<Stream>(EventStream(model->model), model);
}

// By number or by name; a mark is needed where there are some.
std::uint32_t mark_of(const EventModel& model, const py::object& mark) {
  if (mark.is_none()) {
    if (model.mark_names().empty()) return 0;
    throw Error(
        "this model tells events apart: give the mark, one of " + std::string(py::str(py::cast(model.mark_names()))),
        ErrorKind::argument);
  }
  if (py::isinstance<py::str>(mark)) {
    const auto number = model.mark_number(mark.cast<std::string>());
    if (number) return *number;
    throw Error("there is no mark " + std::string(py::repr(mark)) + "; there are " +
                    std::string(py::str(py::cast(model.mark_names()))),
                ErrorKind::argument);
  }
  return mark.cast<std::uint32_t>();
}

// A number; or a datetime, as seconds since 1970. One without a zone is UTC, as in files.
double seconds_of(py::object time) {
  if (!py::hasattr(time, "timestamp")) {
    const double number = PyFloat_AsDouble(time.ptr());
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    return number;
  }
  if (time.attr("tzinfo").is_none()) {
    const py::object utc = py::module_::import("datetime").attr("timezone").attr("utc");
    time = time.attr("replace")(py::arg("tzinfo") = utc);
  }
  return time.attr("timestamp")().cast<double>();
}

std::unique_ptr<Stream> from_bytes_of(const Shared<EventModel>& model, py::handle states) {
  const Bytes bytes(states);
  return std::make_unique<Stream>(EventStream::from_bytes(model->model, bytes.bytes()), model);
}

// A number for a number, an array for an array of any shape.
template <typename Function>
py::object map_numbers(const py::object& given, Function&& function) {
  if (PyFloat_Check(given.ptr())) return py::float_(function(PyFloat_AS_DOUBLE(given.ptr())));
  refuse_masked(given, "time");
  return py::vectorize(std::function<double(double)>(std::forward<Function>(function)))(given);
}

void bind_mixture(py::module_& module) {
  using Mixture = LogNormalMixture;
  const auto of_times = [](double (Mixture::*function)(double) const) {
    return [function](const Mixture& self, const py::object& time) {
      return map_numbers(time, [&](double one) { return (self.*function)(one); });
    };
  };
  py::class_<Mixture>(module, "LogNormalMixture", doc::kMixture)
      .def_property_readonly(
          "weights", [](const Mixture& self) { return array_of(self.weights); }, "sum to one")
      .def_property_readonly(
          "means", [](const Mixture& self) { return array_of(self.means); }, "of the logarithm")
      .def_property_readonly(
          "deviations", [](const Mixture& self) { return array_of(self.deviations); }, "of the logarithm")
      .def("log_density", of_times(&Mixture::log_density), py::arg("time"), doc::kLogDensity)
      .def("cdf", of_times(&Mixture::cdf), py::arg("time"), doc::kCdf)
      .def("log_survival", of_times(&Mixture::log_survival), py::arg("time"), doc::kLogSurvival)
      .def("intensity", of_times(&Mixture::intensity), py::arg("time"), doc::kIntensity)
      .def("quantile", of_times(&Mixture::quantile), py::arg("share"), doc::kQuantile)
      .def("mean_up_to", of_times(&Mixture::mean_up_to), py::arg("limit"), doc::kMeanUpTo);
}

}  // namespace

void bind_events(py::module_& module) {
  bind_mixture(module);
  py::class_<Forecast>(module, "EventForecast", doc::kForecast)
      .def_property_readonly(
          "gap", [](const Forecast& self) { return self.content.gap; },
          "The time from the last event on: a LogNormalMixture.")
      .def_property_readonly(
          "marks",
          [](const Forecast& self) {
            py::dict marks;
            for (std::size_t i = 0; i < self.content.marks.size(); ++i) {
              marks[py::str(self.model->model.mark_names()[i])] = self.content.marks[i];
            }
            return marks;
          },
          "Probabilities by mark; none where events have no marks.");

  py::class_<Stream>(module, "EventStream", doc::kEventStream)
      .def(py::init([](const py::object& model) { return make_stream(model_of<EventModel>(model)); }), py::arg("model"),
           doc::kEventStreamInit)
      .def(
          "observe",
          [](Stream& self, const std::string& sequence, const py::object& time, const py::object& mark) {
            const std::uint32_t number = mark_of(self.model->model, mark);
            const double seconds = seconds_of(time);
            self.use([&](EventStream& stream) { stream.observe(sequence, seconds, number); });
          },
          py::arg("sequence"), py::arg("time"), py::arg("mark") = py::none(), doc::kEventObserve)
      .def(
          "forecast",
          [](Stream& self, const std::string& sequence) {
            return Forecast{self.use([&](EventStream& stream) { return stream.forecast(sequence); }), self.model};
          },
          py::arg("sequence"), doc::kEventForecast)
      .def(
          "sequences", [](Stream& self) { return self.use([](EventStream& stream) { return stream.sequences(); }); },
          doc::kSequences)
      .def(
          "events",
          [](Stream& self, const std::string& sequence) {
            return self.use([&](EventStream& stream) { return stream.events(sequence); });
          },
          py::arg("sequence"), doc::kEvents)
      .def(
          "last_time",
          [](Stream& self, const std::string& sequence) {
            return self.use([&](EventStream& stream) { return stream.last_time(sequence); });
          },
          py::arg("sequence"), doc::kLastTime)
      .def(
          "forget",
          [](Stream& self, const std::string& sequence) {
            return self.use([&](EventStream& stream) { return stream.forget(sequence); });
          },
          py::arg("sequence"), doc::kForget)
      .def(
          "save",
          [](Stream& self, const py::object& path) {
            const std::string file = path_of(path);
            self.use([&](EventStream& stream) { stream.save(file); });
          },
          py::arg("path"), doc::kSave)
      .def_static(
          "load",
          [](const py::object& model, const py::object& path) {
            Shared<EventModel> loaded = model_of<EventModel>(model);
            return std::make_unique<Stream>(EventStream::load(loaded->model, path_of(path)), loaded);
          },
          py::arg("model"), py::arg("path"), doc::kLoad)
      .def(
          "to_bytes",
          [](Stream& self) { return bytes_of(self.use([](EventStream& stream) { return stream.to_bytes(); })); },
          doc::kToBytes)
      .def_static(
          "from_bytes",
          [](const py::object& model, const py::object& states) {
            return from_bytes_of(model_of<EventModel>(model), states);
          },
          py::arg("model"), py::arg("states"), doc::kFromBytes)
      .def_property_readonly(
          "model", [](const Stream& self) { return self.model; }, "The model; shared.")
      .def("__len__", [](Stream& self) { return self.use([](EventStream& stream) { return stream.size(); }); })
      .def("__bool__", [](const Stream&) { return true; })
      .def("__contains__",
           [](Stream& self, const std::string& sequence) {
             return self.use([&](EventStream& stream) { return stream.events(sequence) > 0; });
           })
      .def("__copy__",
           [](Stream& self) {
             return std::make_unique<Stream>(self.use([](EventStream& stream) { return EventStream(stream); }),
                                             self.model);
           })
      .def("__reduce__",
           [](Stream& self) {
             return py::make_tuple(
                 py::module_::import("cmanp._pickle").attr("event_stream"),
                 py::make_tuple(where_to_find(*self.model),
                                bytes_of(self.use([](EventStream& stream) { return stream.to_bytes(); }))));
           })
      .def("__repr__", [](Stream& self) {
        return "<cmanp.EventStream of " + std::to_string(self.use([](EventStream& stream) { return stream.size(); })) +
               " sequences>";
      });
  module.def("_unpickle_event_stream", [](const py::tuple& where, const py::bytes& states) {
    return from_bytes_of(find_again<EventModel>(where), states);
  });
}

}  // namespace cmanp::python
