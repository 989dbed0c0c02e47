// Models as Python holds them: shared in a process by their hash, so that what comes in by pickle finds the model that
// is there already.
#pragma once

#include <pybind11/pybind11.h>

#include <cmanp/events.hpp>
#include <cmanp/model.hpp>
#include <memory>
#include <string>

namespace cmanp::python {

namespace py = pybind11;

template <typename Library>
struct Loaded {
  Library model;
  std::string path;   // of its file; empty where it came as bytes
  py::bytes content;  // where it came as bytes
};

template <typename Library>
using Shared = std::shared_ptr<Loaded<Library>>;

// By the name of a file, or of a model that is installed.
template <typename Library>
Shared<Library> load(py::handle name);

template <typename Library>
Shared<Library> from_bytes(py::handle content, const std::string& name);

// What a call takes for a model: one, or a name of one.
template <typename Library>
Shared<Library> model_of(py::handle given);

// Enough to find the model again in another process: hash and path.
template <typename Library>
py::tuple where_to_find(const Loaded<Library>& loaded);
template <typename Library>
Shared<Library> find_again(const py::tuple& where);

void bind_models(py::module_& module);

}  // namespace cmanp::python
