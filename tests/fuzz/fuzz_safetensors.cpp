// Any bytes are either refused with an Error or give tensors whose every byte can be read, aligned for their type.
#include <cmanp/error.hpp>
#include <cstdint>
#include <cstdlib>

#include "files/safetensors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace cmanp::files;
  try {
    const Safetensors file = Safetensors::parse(std::as_bytes(std::span(bytes, size)), "fuzz");
    for (const auto& [name, tensor] : file.tensors()) {
      if (tensor.bytes.size() != tensor.elements() * dtype_size(tensor.dtype)) std::abort();
      if (tensor.bytes.empty()) continue;
      if (reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % dtype_size(tensor.dtype) != 0) std::abort();
      volatile unsigned sum = 0;
      for (const std::byte byte : tensor.bytes) sum = sum + static_cast<unsigned>(byte);
    }
  } catch (const cmanp::Error&) {
  }
  return 0;
}
