// Whole numbers from 0 on, refused by the name that the caller knows them by; pybind11's own words would be of C++.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cstddef>
#include <string>

namespace cmanp::python {

namespace py = pybind11;

// What a literal such as "window" becomes as a template's argument.
template <std::size_t size>
struct Name {
  constexpr Name(const char (&text)[size]) { std::copy_n(text, size, characters); }
  char characters[size];
};

// A number, and nothing but a number to whoever takes it.
template <Name name>
struct Count {
  Count(std::size_t number = 0) : value(number) {}
  operator std::size_t() const { return value; }
  std::size_t value;
};

}  // namespace cmanp::python

namespace pybind11::detail {

template <cmanp::python::Name word>
struct type_caster<cmanp::python::Count<word>> {
  PYBIND11_TYPE_CASTER(cmanp::python::Count<word>, const_name("int"));

  bool load(handle given, bool) {
    const auto number = reinterpret_steal<object>(PyNumber_Index(given.ptr()));
    const std::size_t count = number ? PyLong_AsSize_t(number.ptr()) : 0;
    if (!PyErr_Occurred()) {
      value = count;
      return true;
    }
    PyErr_Clear();
    throw cmanp::Error(
        std::string(word.characters) + " is " + std::string(repr(given)) + "; give a whole number from 0 on",
        cmanp::ErrorKind::argument);
  }
};

}  // namespace pybind11::detail
