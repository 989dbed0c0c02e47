// Manual pages from the definition of the verbs: cmanp.1, cmanp-predict.1, cmanp-events-stream.1, …
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

namespace cmanp::cli {

// One verb's page, in roff.
std::string man_page(const CLI::App& verb);

// Pages of the program and of all its verbs.
void write_man_pages(const CLI::App& app, const std::filesystem::path& folder);

}  // namespace cmanp::cli
