#include "cli/process_memory.hpp"

#include <sys/resource.h>

namespace cmanp::cli {

double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;  // the system counts in KiB
}

}  // namespace cmanp::cli
