#include "models.hpp"

#include <pybind11/stl.h>

#include <cmanp/error.hpp>
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "arrays.hpp"
#include "counts.hpp"
#include "documentation.hpp"
#include "frames.hpp"

namespace cmanp::python {
namespace {

// Those of a kind that are alive in this process. Touched with the GIL only.
template <typename Library>
std::unordered_map<std::string, std::weak_ptr<Loaded<Library>>>& alive() {
  static auto* models = new std::unordered_map<std::string, std::weak_ptr<Loaded<Library>>>;
  return *models;
}

template <typename Library>
Shared<Library> find_alive(const std::string& hash) {
  const auto found = alive<Library>().find(hash);
  return found == alive<Library>().end() ? nullptr : found->second.lock();
}

template <typename Library>
Shared<Library> share(Library model, std::string path, py::bytes content) {
  const std::string hash = model.hash();
  if (Shared<Library> there = find_alive<Library>(hash)) return there;
  auto loaded =
      std::make_shared<Loaded<Library>>(Loaded<Library>{std::move(model), std::move(path), std::move(content)});
  alive<Library>()[hash] = loaded;
  return loaded;
}

template <typename Library>
Library load_file(const std::string& path) {
  const py::gil_scoped_release others_run;
  return Library::load(path);
}

// The file's content, to go to another process. The file may have changed since it was loaded.
template <typename Library>
py::bytes content_of(const Loaded<Library>& loaded) {
  if (loaded.path.empty()) return loaded.content;
  std::ifstream file(loaded.path, std::ios::binary);
  const std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) {
    throw Error(loaded.path + ": cannot be read again, to be pickled", ErrorKind::system);
  }
  return content;
}

template <typename Library>
Shared<Library> unpickle(const std::string& hash, const std::string& path, const py::bytes& content) {
  if (Shared<Library> there = find_alive<Library>(hash)) return there;
  Shared<Library> loaded = from_bytes<Library>(content, path);
  if (loaded->model.hash() != hash) {
    throw Error(path + ": holds another model than when it was loaded", ErrorKind::wrong_model);
  }
  return loaded;
}

template <typename Library, typename Class>
void bind_common(Class& model, const char* restore, const char* load_text, const char* bytes_text,
                 py::module_& module) {
  model.def_static("load", &load<Library>, py::arg("name"), load_text)
      .def_static("from_bytes", &from_bytes<Library>, py::arg("content"), py::arg("name") = "model", bytes_text)
      .def_property_readonly(
          "hash", [](const Loaded<Library>& self) { return self.model.hash(); }, doc::kHash)
      .def_property_readonly(
          "parameters", [](const Loaded<Library>& self) { return self.model.parameters(); }, doc::kParameters)
      .def_property_readonly(
          "path",
          [](const Loaded<Library>& self) -> py::object {
            return self.path.empty() ? py::object(py::none()) : py::object(py::str(self.path));
          },
          doc::kPath)
      .def("__reduce__",
           [restore](const Loaded<Library>& self) {
             return py::make_tuple(py::module_::import("cmanp._pickle").attr(restore),
                                   py::make_tuple(self.model.hash(), self.path, content_of(self)));
           })
      .def("__copy__", [](const Shared<Library>& self) { return self; })
      .def("__deepcopy__", [](const Shared<Library>& self, const py::dict&) { return self; })
      .def("__eq__",
           [](const Loaded<Library>& self, const py::object& other) {
             return py::isinstance<Loaded<Library>>(other) &&
                    other.cast<Loaded<Library>&>().model.hash() == self.model.hash();
           })
      .def("__hash__", [](const Loaded<Library>& self) { return py::hash(py::str(self.model.hash())); });
  module.def(("_unpickle_" + std::string(restore)).c_str(), &unpickle<Library>);
}

std::string describe(const Loaded<Model>& self) {
  const Config& config = self.model.config();
  return "<cmanp.Model " + config.model_name() + ", " + std::to_string(config.dim_x) + " in x, " +
         std::to_string(config.dim_y) + " in y, " + std::to_string(self.model.parameters()) + " parameters>";
}

}  // namespace

template <typename Library>
Shared<Library> load(py::handle name) {
  const std::string path = path_of(py::module_::import("cmanp._files").attr("find_model")(name));
  return share<Library>(load_file<Library>(path), path, {});
}

template <typename Library>
Shared<Library> from_bytes(py::handle content, const std::string& name) {
  const py::bytes kept =
      PyBytes_Check(content.ptr()) ? py::reinterpret_borrow<py::bytes>(content) : bytes_of(Bytes(content).bytes());
  const Bytes view(kept);
  return share<Library>(Library::from_bytes(view.bytes(), name), {}, kept);
}

template <typename Library>
Shared<Library> model_of(py::handle given) {
  if (py::isinstance<Loaded<Library>>(given)) return given.cast<Shared<Library>>();
  return load<Library>(given);
}

template <typename Library>
py::tuple where_to_find(const Loaded<Library>& loaded) {
  return py::make_tuple(loaded.model.hash(), loaded.path);
}

template <typename Library>
Shared<Library> find_again(const py::tuple& where) {
  const auto hash = where[0].cast<std::string>(), path = where[1].cast<std::string>();
  if (Shared<Library> there = find_alive<Library>(hash)) return there;
  const std::string missing = "a state of a model that this process does not have (hash " + hash + ")";
  if (path.empty()) {
    throw Error(missing + ": it came as bytes; give it to this process before the state", ErrorKind::wrong_model);
  }
  Shared<Library> loaded = load<Library>(py::str(path));
  if (loaded->model.hash() != hash) throw Error(missing + ": " + path + " holds another", ErrorKind::wrong_model);
  return loaded;
}

template Shared<Model> load<Model>(py::handle);
template Shared<Model> from_bytes<Model>(py::handle, const std::string&);
template Shared<Model> model_of<Model>(py::handle);
template py::tuple where_to_find<Model>(const Loaded<Model>&);
template Shared<Model> find_again<Model>(const py::tuple&);
template Shared<EventModel> load<EventModel>(py::handle);
template Shared<EventModel> from_bytes<EventModel>(py::handle, const std::string&);
template Shared<EventModel> model_of<EventModel>(py::handle);
template py::tuple where_to_find<EventModel>(const Loaded<EventModel>&);
template Shared<EventModel> find_again<EventModel>(const py::tuple&);

void bind_models(py::module_& module) {
  py::class_<Memory>(module, "Memory", doc::kMemory)
      .def_readonly("weights", &Memory::weights, "packed once, shared by every context of the model")
      .def_readonly("state", &Memory::state, "what the observations left behind; constant in their number")
      .def_readonly("cache", &Memory::cache, "keys and values that questions read")
      .def_readonly("scratch", &Memory::scratch, "working space")
      .def_property_readonly("context", &Memory::context, "of one context: state, cache and scratch")
      .def_property_readonly("total", &Memory::total, "with the weights")
      .def("__repr__", [](const Memory& self) {
        return "Memory(weights=" + std::to_string(self.weights) + ", state=" + std::to_string(self.state) +
               ", cache=" + std::to_string(self.cache) + ", scratch=" + std::to_string(self.scratch) + ")";
      });

  py::class_<Loaded<Model>, Shared<Model>> model(module, "Model", doc::kModel);
  bind_common<Model>(model, "model", doc::kModelLoad, doc::kModelFromBytes, module);
  model
      .def_property_readonly(
          "dim_x", [](const Loaded<Model>& self) { return self.model.config().dim_x; }, "Numbers in an x.")
      .def_property_readonly(
          "dim_y", [](const Loaded<Model>& self) { return self.model.config().dim_y; }, "Numbers in a y.")
      .def_property_readonly(
          "kind", [](const Loaded<Model>& self) { return self.model.config().model_name(); },
          "'cmanp', or 'cmanpand' for one that predicts jointly.")
      .def_property_readonly(
          "units",
          [](const Loaded<Model>& self) {
            const Normalisation& units = self.model.normalisation();
            py::dict numbers;
            numbers["x_shift"] = units.x_shift;
            numbers["x_scale"] = units.x_scale;
            numbers["y_shift"] = units.y_shift;
            numbers["y_scale"] = units.y_scale;
            return numbers;
          },
          doc::kUnits)
      .def_property_readonly(
          "frames", [](const Loaded<Model>& self) { return self.model.config().frames; }, doc::kFrames)
      .def(
          "find_frame",
          [](const Loaded<Model>& self, const py::object& x, const py::object& y) {
            const Points at(x, self.model.config().dim_x, "x"), values(y, self.model.config().dim_y, "y");
            Normalisation frame;
            {
              const py::gil_scoped_release others_run;
              frame = self.model.find_frame(at.numbers(), values.numbers(), false, false);  // its ends say all of it
            }
            return frame_object(frame);
          },
          py::arg("x"), py::arg("y"), doc::kFindFrame)
      .def(
          "memory",
          [](const Loaded<Model>& self, Count<"threads"> threads, Count<"block"> block) {
            return self.model.memory({.threads = threads, .block = block});
          },
          py::kw_only(), py::arg("threads") = ContextOptions{}.threads, py::arg("block") = ContextOptions{}.block,
          doc::kModelMemory)
      .def("__repr__", &describe);

  py::class_<Loaded<EventModel>, Shared<EventModel>> events(module, "EventModel", doc::kEventModel);
  bind_common<EventModel>(events, "event_model", doc::kEventModelLoad, doc::kModelFromBytes, module);
  events
      .def_property_readonly(
          "mark_names", [](const Loaded<EventModel>& self) { return self.model.mark_names(); },
          "The kinds of events; none where events are not told apart.")
      .def_property_readonly(
          "clock_start", [](const Loaded<EventModel>& self) { return self.model.clock_start(); },
          "Where every sequence's clock begins; None: at its first event.")
      .def_property_readonly(
          "longest_gap", [](const Loaded<EventModel>& self) { return self.model.longest_gap(); },
          "The longest time between two events in what it learnt from.")
      .def_property_readonly(
          "memory", [](const Loaded<EventModel>& self) { return self.model.memory(); }, "Of its weights, in bytes.")
      .def_property_readonly(
          "memory_of_a_sequence", [](const Loaded<EventModel>& self) { return self.model.memory_of_a_sequence(); },
          "Of what a stream keeps of each, its name aside, in bytes.")
      .def("__repr__", [](const Loaded<EventModel>& self) {
        return "<cmanp.EventModel, " + std::to_string(self.model.mark_names().size()) + " marks, " +
               std::to_string(self.model.parameters()) + " parameters>";
      });
}

}  // namespace cmanp::python
