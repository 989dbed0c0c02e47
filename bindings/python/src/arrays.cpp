#include "arrays.hpp"

#include <algorithm>
#include <cmanp/error.hpp>

namespace cmanp::python {
namespace {

using Plain = py::array_t<double, py::array::c_style | py::array::forcecast | py::detail::npy_api::NPY_ARRAY_ALIGNED_>;

std::string shape_text(const py::array& array) {
  std::string text = "(";
  for (py::ssize_t i = 0; i < array.ndim(); ++i)
    text += std::to_string(array.shape(i)) + (i + 1 < array.ndim() ? ", " : "");
  return text + (array.ndim() == 1 ? ",)" : ")");
}

std::string shapes_that_belong(std::size_t width) {
  const std::string w = std::to_string(width);
  if (width == 1) return "numbers one by one: give (n,) or (n, 1), or a number";
  return "points of " + w + " numbers: give (n, " + w + "), or (" + w + ",) for one point";
}

// numpy.ndarray itself, which has no mask: the quick way.
py::handle array_type() { return reinterpret_cast<PyObject*>(py::detail::npy_api::get().PyArray_Type_); }

[[noreturn]] void refuse_shape(const char* name, const std::string& given, std::size_t width) {
  throw Error(std::string(name) + " has shape " + given + " where this model has " + shapes_that_belong(width),
              ErrorKind::argument);
}

constexpr const char* kTakesTimes = ": cmanp.frames.Signal takes a pandas Series over times";

[[noreturn]] void refuse_kind(const char* name, const std::string& what, const std::string& advice = "") {
  throw Error(std::string(name) + " holds " + what + ", not real numbers" + advice, ErrorKind::argument);
}

}  // namespace

void refuse_masked(py::handle given, const char* name, const char* advice) {
  if (!py::isinstance<py::array>(given) || py::type::handle_of(given).is(array_type())) return;
  const py::object refuse = py::module_::import("cmanp._points").attr("refuse_masked");
  advice == nullptr ? refuse(given, name) : refuse(given, name, advice);
}

void Points::check_kind(const py::array& array, const char* name) const {
  switch (array.dtype().kind()) {
    case 'f':
    case 'i':
    case 'u':
    case 'b':
      return;
    case 'c':
      refuse_kind(name, "complex numbers");
    case 'M':
    case 'm':
      refuse_kind(name, "dates or times", kTakesTimes);
    case 'U':
    case 'S':
      refuse_kind(name, "text");
    default:
      const bool times = array.size() > 0 && py::hasattr(*array.attr("flat").begin(), "timestamp");  // of a zone
      refuse_kind(name, "objects (" + std::string(py::str(array.dtype())) + ")", times ? kTakesTimes : "");
  }
}

Points::Points(py::handle given, std::size_t width, const char* name) {
  if (PyFloat_Check(given.ptr())) {  // the quick way for one number
    if (width != 1) refuse_shape(name, "()", width);
    number_ = PyFloat_AS_DOUBLE(given.ptr());
    numbers_ = {&number_, 1};
    is_one_ = true;
    return;
  }
  refuse_masked(given, name);
  const py::array array = py::array::ensure(given);
  if (!array) {
    throw Error(std::string(name) + " is no array of numbers: " + std::string(py::str(py::type::of(given))),
                ErrorKind::argument);
  }
  check_kind(array, name);
  single_precision_ = array.dtype().kind() == 'f' && array.itemsize() == 4;
  const auto last = [&] { return static_cast<std::size_t>(array.shape(array.ndim() - 1)); };
  if (array.ndim() == 0 && width == 1) {
    is_one_ = true;
  } else if (array.ndim() == 1 && width == 1) {
    count_ = last();
  } else if (array.ndim() == 1 && last() == width) {
    is_one_ = true;
  } else if (array.ndim() == 2 && last() == width) {
    count_ = static_cast<std::size_t>(array.shape(0));
  } else {
    refuse_shape(name, shape_text(array), width);
  }
  const Plain plain = Plain::ensure(array);
  if (!plain) throw py::error_already_set();
  numbers_ = {plain.data(), static_cast<std::size_t>(plain.size())};
  kept_ = plain;
}

Answer::Answer(const Points& asked, std::size_t channels, std::vector<py::ssize_t> shape)
    : single_precision_(asked.single_precision()) {
  if (!asked.is_one()) shape.push_back(static_cast<py::ssize_t>(asked.count()));
  if (channels > 1) shape.push_back(static_cast<py::ssize_t>(channels));
  array_ = py::array_t<double>(std::move(shape));
}

py::object Answer::take() {
  if (array_.ndim() == 0) return py::float_(*array_.data());
  if (single_precision_) return array_.attr("astype")("float32");
  return std::move(array_);
}

py::array_t<double> array_of(std::span<const double> numbers) {
  return py::array_t<double>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

py::bytes bytes_of(std::span<const std::byte> bytes) {
  return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Bytes::Bytes(py::handle object) {
  if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw py::error_already_set();
}

std::string path_of(py::handle path) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &bytes) == 0) throw py::error_already_set();
  return std::string(py::reinterpret_steal<py::bytes>(bytes));
}

}  // namespace cmanp::python
