// cmanp._cmanp: the library's public interface in Python. Everything that computes does so without the GIL.
#include <pybind11/pybind11.h>

#include <cmanp/error.hpp>
#include <exception>

namespace py = pybind11;

namespace cmanp::python {

void bind_models(py::module_& module);
void bind_contexts(py::module_& module);
void bind_agents(py::module_& module);
void bind_events(py::module_& module);
void bind_completion(py::module_& module);

namespace {

const char* kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::argument:
      return "argument";
    case ErrorKind::system:
      return "system";
    case ErrorKind::wrong_model:
      return "wrong_model";
    case ErrorKind::data:
      break;
  }
  return "data";
}

void raise(std::exception_ptr exception) {
  try {
    if (exception) std::rethrow_exception(exception);
  } catch (const Error& error) {
    const py::object type = py::module_::import("cmanp._error").attr("Error");
    // Messages may quote bytes of files.
    const py::object message = py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(error.what(), static_cast<py::ssize_t>(std::string(error.what()).size()), "replace"));
    PyErr_SetObject(type.ptr(), type(message, kind_name(error.kind())).ptr());
  }
}

}  // namespace
}  // namespace cmanp::python

PYBIND11_MODULE(_cmanp, module) {
  using namespace cmanp::python;
  py::options options;
  options.disable_function_signatures();  // the texts bring their own, in Python's words
  module.doc() = "The library's public interface; use it as `cmanp`.";
  py::register_exception_translator(&raise);
  bind_models(module);
  bind_contexts(module);
  bind_agents(module);
  bind_events(module);
  bind_completion(module);
  module.attr("__version__") = CMANP_VERSION;
}
