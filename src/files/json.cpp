#include "files/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

#include "files/mapped_file.hpp"
#include "files/quote.hpp"

namespace cmanp::files {
namespace {

using Json = nlohmann::ordered_json;
using Event = Json::parse_event_t;

// Sees every value before the parser keeps it.
class Limits {
 public:
  bool operator()(int, Event event, Json& value) {
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        if (keys_.size() == kDeepestJson) {
          throw Error(fmt::format("is JSON that is nested more than {} deep", kDeepestJson));
        }
        keys_.emplace_back();
        count();
        break;
      case Event::object_end:
      case Event::array_end:
        keys_.pop_back();
        break;
      case Event::key:
        see_key(value.get_ref<const std::string&>());
        break;
      case Event::value:
        count();
        break;
    }
    return true;
  }

 private:
  void count() {
    if (++values_ > kMostJsonValues) throw Error(fmt::format("is JSON of more than {} values", kMostJsonValues));
  }

  void see_key(const std::string& key) {
    if (!keys_.back().insert(key).second)
      throw Error(fmt::format("is JSON in which {} stands there twice", quote(key)));
    if (keys_.back().size() > kMostJsonKeys) {
      throw Error(fmt::format("is JSON with more than {} keys in one object", kMostJsonKeys));
    }
  }

  std::vector<std::unordered_set<std::string>> keys_;  // of the objects that are open; lists have none
  std::size_t values_ = 0;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& where, JsonComments comments) {
  try {
    if (const std::size_t zero = text.find('\0'); zero != text.npos) {  // the parser takes it for the end
      throw Error(fmt::format("is not JSON: byte {} is not what can stand there", zero + 1));
    }
    if (text.size() > kLongestJson) throw Error(fmt::format("is JSON of more than {} bytes", kLongestJson));
    Limits limits;  // by reference: the parser copies what it calls
    return Json::parse(text, std::ref(limits), true, comments == JsonComments::welcome);
  } catch (const Json::parse_error& error) {
    const auto line = 1 + std::count(text.begin(), text.begin() + std::min(error.byte, text.size()), '\n');
    throw Error(fmt::format("{} is not JSON: byte {}{} is not what can stand there", where, error.byte,
                            line > 1 ? fmt::format(", in line {},", line) : ""));
  } catch (const Json::exception&) {  // the only other reason that there is
    throw Error(fmt::format("{} is not JSON: a number in it is too large", where));
  } catch (const Error& error) {
    throw Error(fmt::format("{} {}", where, error.what()));
  }
}

std::optional<Json> try_parse_json(std::string_view text) {
  try {
    return parse_json(text, "");
  } catch (const Error&) {
    return std::nullopt;
  }
}

Json read_json(const std::filesystem::path& path, JsonComments comments) {
  const MappedFile file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  Json document = parse_json(text, path.string(), comments);
  file.check_unchanged();
  return document;
}

}  // namespace cmanp::files
