// What belongs to one thread at a time, where many may hold it: calls wait for each other, and other Python threads run
// meanwhile.
#pragma once

#include <pybind11/pybind11.h>

#include <mutex>
#include <utility>

#include "models.hpp"

namespace cmanp::python {

template <typename Content, typename Library>
struct Guarded {
  Guarded(Content held, Shared<Library> of_model) : content(std::move(held)), model(std::move(of_model)) {}

  // Without the GIL: `work` touches no Python object.
  template <typename Work>
  auto use(Work&& work) {
    const py::gil_scoped_release others_run;
    const std::lock_guard lock(mutex);
    return std::forward<Work>(work)(content);
  }

  Content content;
  Shared<Library> model;
  std::mutex mutex;
};

}  // namespace cmanp::python
