#include "base/free_memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace cmanp::base {

double free_memory() {
  std::ifstream file("/proc/meminfo");
  double kibibytes = 0;
  for (std::string key, rest; file >> key; std::getline(file, rest)) {
    if (key == "MemAvailable:" && file >> kibibytes) return 1024 * kibibytes;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace cmanp::base
