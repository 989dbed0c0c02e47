#include "frames.hpp"

#include <cmanp/error.hpp>
#include <string>

#include "arrays.hpp"

namespace cmanp::python {
namespace {

Range ends_of_identity(std::size_t width) {
  return {std::vector<double>(width, frame_low), std::vector<double>(width, frame_high)};
}

}  // namespace

Range range_of(py::handle pairs, std::size_t width, const char* name) {
  Range range;
  if (pairs.is_none()) return range;
  refuse_masked(pairs, name);
  const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(pairs);
  const bool one = array && width == 1 && array.ndim() == 1 && array.shape(0) == 2;
  const bool many =
      array && array.ndim() == 2 && array.shape(0) == static_cast<py::ssize_t>(width) && array.shape(1) == 2;
  if (!one && !many) {
    PyErr_Clear();
    const std::string expected = width == 1 ? "a pair (from, to)" : std::to_string(width) + " pairs (from, to)";
    throw Error(std::string(name) + " is not " + expected, ErrorKind::argument);
  }
  for (std::size_t c = 0; c < width; ++c) {
    range.low.push_back(array.data()[2 * c]);
    range.high.push_back(array.data()[2 * c + 1]);
  }
  return range;
}

py::object pairs_of(const Range& range) {
  if (range.empty()) return py::none();
  if (range.low.size() == 1) return py::make_tuple(range.low[0], range.high[0]);
  py::tuple pairs(range.low.size());
  for (std::size_t c = 0; c < range.low.size(); ++c) pairs[c] = py::make_tuple(range.low[c], range.high[c]);
  return pairs;
}

std::optional<Normalisation> frame_by(py::handle x_frame, py::handle y_frame, const Config& config) {
  if (x_frame.is_none() && y_frame.is_none()) return {};
  if (config.frames && (x_frame.is_none() || y_frame.is_none())) {
    throw Error("x_frame and y_frame go together: this model works in frames, and has no scale of its own",
                ErrorKind::argument);
  }
  const Range x = range_of(x_frame, config.dim_x, "x_frame"), y = range_of(y_frame, config.dim_y, "y_frame");
  return frame_between(x.empty() ? ends_of_identity(config.dim_x) : x, y.empty() ? ends_of_identity(config.dim_y) : y);
}

py::object frame_object(const Normalisation& frame) {
  return py::module_::import("cmanp._frame")
      .attr("Frame")(pairs_of(frame_ends(frame.x_shift, frame.x_scale)),
                     pairs_of(frame_ends(frame.y_shift, frame.y_scale)));
}

}  // namespace cmanp::python
