// Between C and C++: what is thrown inside becomes a status and a message, and nothing gets out. What the C++ interface
// checks is not checked again: only what C adds, pointers and the sizes of structs.
#pragma once

#include <cmanp/cmanp.h>
#include <fmt/core.h>

#include <cmanp/error.hpp>
#include <cstddef>
#include <exception>
#include <new>
#include <span>

namespace cmanp::capi {

// Keeps the thread's message, cut to a fixed length: it must work when memory is out.
void set_last_error(const char* message) noexcept;

cmanp_status status_of(ErrorKind kind) noexcept;

template <typename Body>
cmanp_status guarded(Body&& body) noexcept {
  try {
    body();
    return CMANP_OK;
  } catch (const Error& error) {
    set_last_error(error.what());
    return status_of(error.kind());
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
  if (pointer == nullptr) throw Error(fmt::format("{} is NULL", name), ErrorKind::argument);
  return *pointer;
}

// `count` numbers behind a pointer, which may be NULL only where there are none.
template <typename T>
std::span<T> numbers(T* pointer, std::size_t count, const char* name) {
  if (count != 0) given(pointer, name);
  return {pointer, count};
}

inline std::span<const std::byte> byte_span(const void* bytes, std::size_t count) {
  return numbers(static_cast<const std::byte*>(bytes), count, "bytes");
}

// Sets a handle to NULL, then to what `make` gives.
template <typename Handle, typename Make>
cmanp_status make_handle(Handle** handle, const char* name, Make&& make) noexcept {
  return guarded([&] {
    given(handle, name) = nullptr;
    *handle = new Handle{make()};
  });
}

}  // namespace cmanp::capi
