// libtorch's errors as ours.
#pragma once

#include <c10/util/Exception.h>

#include <cmanp/error.hpp>
#include <new>
#include <string>
#include <string_view>

namespace cmanp::cli_train {

// What `work` returns; what goes wrong in one line, without libtorch's stack.
template <class Work>
auto with_plain_errors(const Work& work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    const std::string_view text = error.what_without_backtrace();
    if (text.find("allocate memory") != std::string_view::npos) throw std::bad_alloc();
    throw Error(std::string(text.substr(0, text.find('\n'))));
  }
}

}  // namespace cmanp::cli_train
