// Options that several verbs share, so that they are named, checked and explained alike everywhere.
#pragma once

#include <CLI/CLI.hpp>
#include <cmanp/model.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/messages.hpp"

namespace cmanp::cli {

// A verb with its one-line description, and an example that ends its help.
CLI::App* add_verb(CLI::App& app, const std::string& name, const std::string& description, const std::string& example);

CLI::Option* add_model(CLI::App* verb, std::string& path);
CLI::Option* add_json(CLI::App* verb, bool& json);
CLI::Option* add_threads(CLI::App* verb, std::size_t& threads);
CLI::Option* add_block(CLI::App* verb, std::size_t& block, const std::string& description);

// Of models in relative coordinates: where a context's latents lie, and what becomes of observations elsewhere.
struct RangeFlags {
  Range range;  // empty: the state's, or the model's own
  Outside outside = Outside::refuse;
};
CLI::Option* add_range(CLI::App* verb, Range& range);
void add_range_flags(CLI::App* verb, RangeFlags& flags);

// "-2:2", or "0:1,0:1" for several x. Throws CLI::ValidationError.
Range parse_range(const std::string& text);

// The number of cores: what verbs over much data start with.
std::size_t default_threads();

// Fails now, not after hours of work, where `path` can not be written: no such folder, a folder itself, no permission.
void check_can_write(const std::filesystem::path& path);

// The same, and fails as well where `output` is one of the files that are read, by whatever name or link: it would
// destroy its own input. An update in place that is meant leaves that file out of `inputs`; so are empty names and `-`.
void check_output(const std::filesystem::path& output, const std::vector<std::string>& inputs);

}  // namespace cmanp::cli
