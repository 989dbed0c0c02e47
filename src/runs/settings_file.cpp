#include "runs/settings_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmanp/error.hpp>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <system_error>

#include "files/atomic_file.hpp"

namespace cmanp::runs {
namespace {

using Json = nlohmann::ordered_json;

// A parser that refuses a key that stands twice: which of the two was meant?
class UniqueKeys {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1 && !seen_.emplace(parsed.get<std::string>(), true).second) {
      throw Error(fmt::format("setting {} stands there twice", parsed.get<std::string>()));
    }
    return true;
  }

 private:
  std::map<std::string, bool> seen_;
};

}  // namespace

Json read_settings_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error(fmt::format("{}: {}", path.string(), std::generic_category().message(errno)));
  try {
    Json document = Json::parse(stream, UniqueKeys(), true, true);  // comments are welcome
    if (!document.is_object()) throw Error("settings must be a JSON object");
    return document;
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

void write_settings_file(const std::filesystem::path& path, const Json& settings) {
  const std::string text = settings.dump(2) + "\n";
  files::AtomicFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

}  // namespace cmanp::runs
