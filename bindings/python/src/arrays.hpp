// Numbers from Python and back. What NumPy holds as double, row by row, is read where it is; all else is converted
// once.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cmanp::python {

namespace py = pybind11;

// Throws Error where something in it is masked: NumPy would give what lies under the mask. `name` is the caller's word.
// `advice`: what to do, where it is not to leave points out.
void refuse_masked(py::handle given, const char* name, const char* advice = nullptr);

// Points of `width` numbers each, as the caller gave them: (n, width); (n,) where the width is 1; one point as
// (width,), or as a number where the width is 1.
class Points {
 public:
  // `name` is the caller's word for them. Throws Error that says which shape was given and which belongs.
  Points(py::handle given, std::size_t width, const char* name);
  Points(const Points&) = delete;
  Points& operator=(const Points&) = delete;

  std::span<const double> numbers() const { return numbers_; }
  std::size_t count() const { return count_; }
  bool is_one() const { return is_one_; }                      // a point without an axis of points
  bool single_precision() const { return single_precision_; }  // float32: answers are, too

 private:
  void check_kind(const py::array& array, const char* name) const;

  double number_ = 0;
  py::object kept_;  // what numbers_ lie in
  std::span<const double> numbers_;
  std::size_t count_ = 1;
  bool is_one_ = false;
  bool single_precision_ = false;
};

// An answer: leading axes, then one of points unless the question was one point, then one of channels unless there is
// but one.
class Answer {
 public:
  Answer(const Points& asked, std::size_t channels, std::vector<py::ssize_t> leading = {});

  std::span<double> numbers() { return {array_.mutable_data(), static_cast<std::size_t>(array_.size())}; }

  // As Python has it: of the question's precision; a number where no axis is left.
  py::object take();

 private:
  py::array_t<double> array_;
  bool single_precision_;
};

// An array that may be changed by nobody else: a copy of numbers that the library keeps.
py::array_t<double> array_of(std::span<const double> numbers);

py::bytes bytes_of(std::span<const std::byte> bytes);

// Valid as long as the object is: bytes, or another buffer that is not of many pieces.
class Bytes {
 public:
  explicit Bytes(py::handle object);
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() { PyBuffer_Release(&view_); }

  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

// A path as Python writes it: str, bytes or os.PathLike.
std::string path_of(py::handle path);

}  // namespace cmanp::python
