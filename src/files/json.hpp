// The one door for JSON from outside: metadata, settings, checkpoints, results. What is nested too deep (the parser's
// other ends recurse: copying, printing), too long or ambiguous (a key that stands twice) is refused before it is kept.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace cmanp::files {

inline constexpr std::size_t kDeepestJson = 32;             // objects and lists within each other
inline constexpr std::size_t kLongestJson = 100'000'000;    // bytes, as a safetensors header's
inline constexpr std::size_t kMostJsonKeys = 1'000;         // of one object: they are looked up one by one
inline constexpr std::size_t kMostJsonValues = 10'000'000;  // of a document: a value takes more room than its text

enum class JsonComments { refused, welcome };

// Throws Error that begins with `where`.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& where,
                                  JsonComments comments = JsonComments::refused);

// Nothing where the text is refused, for those who can do without.
std::optional<nlohmann::ordered_json> try_parse_json(std::string_view text);

// A whole file.
nlohmann::ordered_json read_json(const std::filesystem::path& path, JsonComments comments = JsonComments::refused);

}  // namespace cmanp::files
