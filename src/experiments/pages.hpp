// A report as a page.
#pragma once

#include <string>

#include "experiments/report.hpp"

namespace cmanp::experiments {

// For a file that lies in `folder`: pictures are linked from there.
std::string as_markdown(const Report& report, const std::filesystem::path& folder);

// One file that holds everything, pictures included.
std::string as_html(const Report& report);

}  // namespace cmanp::experiments
