// Frames and ranges as Python has them: a pair (from, to), or a list of such pairs where there are several numbers.
#pragma once

#include <pybind11/pybind11.h>

#include <cmanp/model.hpp>
#include <cstddef>
#include <optional>

namespace cmanp::python {

namespace py = pybind11;

// `name` is the caller's word for it. None is an empty range.
Range range_of(py::handle pairs, std::size_t width, const char* name);

// None where there is no such range.
py::object pairs_of(const Range& range);

// Both or neither, of a model that works in frames; of another, its own scale for what is not given.
std::optional<Normalisation> frame_by(py::handle x_frame, py::handle y_frame, const Config& config);

// A cmanp.Frame.
py::object frame_object(const Normalisation& frame);

}  // namespace cmanp::python
