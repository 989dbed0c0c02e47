// Any bytes are either refused with an Error that holds no raw bytes, or give rows of finite numbers.
// The first byte chooses the dimensions and what rows are read.
#include <cmanp/error.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "memory_file.hpp"
#include "tables/csv.hpp"

namespace {

void read_all(int descriptor, std::size_t dim_x, std::size_t dim_y, cmanp::tables::Rows rows) {
  using namespace cmanp::tables;
  CsvReader reader(descriptor, "fuzz", dim_x, dim_y, rows);
  std::uint64_t line = 1;
  for (Row row; reader.next(row); line = row.line) {
    if (row.line <= line || row.x.size() != dim_x) std::abort();
    if (row.y.size() != dim_y && (rows == Rows::points || !row.y.empty())) std::abort();
    for (const double value : row.x) {
      if (!std::isfinite(value)) std::abort();
    }
    for (const double value : row.y) {
      if (!std::isfinite(value)) std::abort();
    }
  }
  if (!reader.buffered()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using cmanp::tables::Rows;
  static cmanp::testing::MemoryFile file;
  if (size == 0) return 0;
  file.assign(bytes + 1, size - 1);
  const std::size_t dim_x = 1 + bytes[0] % 4;
  const std::size_t dim_y = 1 + bytes[0] / 4 % 4;
  const Rows rows[] = {Rows::points, Rows::targets, Rows::questions, Rows::questions};
  try {
    read_all(file.rewound(), dim_x, dim_y, rows[bytes[0] / 16 % 4]);
  } catch (const cmanp::Error& error) {
    for (const char* c = error.what(); *c != 0; ++c) {
      if (*c > 0 && *c < ' ') std::abort();
    }
    if (std::strlen(error.what()) > 1000) std::abort();
  }
  return 0;
}
