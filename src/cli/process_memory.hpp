// How much memory this process has used.
#pragma once

namespace cmanp::cli {

// At most, so far, in millions of bytes.
double peak_rss_mb();

}  // namespace cmanp::cli
