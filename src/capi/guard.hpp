// Between C and C++: what is thrown inside becomes a status and a message, and nothing gets out.
#pragma once

#include <cmanp/cmanp.h>
#include <fmt/core.h>

#include <cmanp/error.hpp>
#include <cstddef>
#include <exception>
#include <new>
#include <span>

namespace cmanp::capi {

// A mistake of the caller, as opposed to one in the data or on the disk.
class BadArgument : public Error {
 public:
  using Error::Error;
};

// Keeps the thread's message, cut to a fixed length: it must work when memory is out.
void set_last_error(const char* message) noexcept;

template <typename Body>
cmanp_status guarded(Body&& body) noexcept {
  try {
    body();
    return CMANP_OK;
  } catch (const BadArgument& error) {
    set_last_error(error.what());
    return CMANP_BAD_ARGUMENT;
  } catch (const std::bad_alloc&) {
    set_last_error("out of memory");
    return CMANP_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    set_last_error(error.what());
  } catch (...) {
    set_last_error("an unknown failure");
  }
  return CMANP_FAILED;
}

// A pointer that must be there, as a reference.
template <typename T>
T& given(T* pointer, const char* name) {
  if (pointer == nullptr) throw BadArgument(fmt::format("{} is NULL", name));
  return *pointer;
}

// `count` numbers behind a pointer, which may be NULL only where there are none.
template <typename T>
std::span<T> numbers(T* pointer, std::size_t count, const char* name) {
  if (count != 0) given(pointer, name);
  return {pointer, count};
}

// How many points of `width` numbers there are in `count`.
inline std::size_t points_of(std::size_t count, std::size_t width, const char* name) {
  if (count % width != 0) {
    throw BadArgument(
        fmt::format("{} holds {} numbers, which is no multiple of the {} a point has", name, count, width));
  }
  return count / width;
}

inline void expect_count(std::size_t count, std::size_t expected, const char* name) {
  if (count != expected) throw BadArgument(fmt::format("{} holds {} numbers where {} belong", name, count, expected));
}

}  // namespace cmanp::capi
