// Any bytes are either refused with an Error that holds no raw bytes, or give a document within its limits, which
// prints and parses to itself again. The first byte chooses the door: settings with comments, a model's metadata, an
// event model's, or the names of states.
#include <cmanp/error.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "events/cmhp_config.hpp"
#include "events/event_states.hpp"
#include "files/json.hpp"
#include "runtime/model_data.hpp"
#include "tiny_event_model.hpp"

namespace {

using namespace cmanp;

std::size_t depth_of(const nlohmann::ordered_json& value) {
  std::size_t deepest = 0;
  if (!value.is_structured()) return 0;
  for (const auto& part : value) deepest = std::max(deepest, depth_of(part));
  return deepest + 1;
}

void parse(const std::string& text, files::JsonComments comments) {
  const nlohmann::ordered_json document = files::parse_json(text, "fuzz", comments);
  if (depth_of(document) > files::kDeepestJson) std::abort();
  if (files::parse_json(document.dump(), "again") != document) std::abort();
}

files::Safetensors with_metadata(const files::Metadata& metadata, std::vector<std::byte>& bytes) {
  bytes = files::safetensors_bytes("fuzz", metadata, {});  // refuses what is not UTF-8
  return files::Safetensors::parse(bytes, "fuzz");
}

void try_door(unsigned door, const std::string& text) {
  std::vector<std::byte> bytes;
  const files::Metadata ours{{"format", "cmanp-model"}, {"format_version", "1"}, {"model", "cmanpand"}};
  files::Metadata metadata = ours;
  switch (door % 5) {
    case 0:
      parse(text, files::JsonComments::refused);
      parse(text, files::JsonComments::welcome);
      break;
    case 1:
      metadata["config"] = text;
      runtime::expected_tensors(runtime::parse_config(with_metadata(metadata, bytes)));
      break;
    case 2:
      metadata["normalisation"] = text;
      runtime::parse_normalisation(with_metadata(metadata, bytes), Config{});
      break;
    case 3:
      metadata["config"] = metadata["domain"] = text;
      events::parse_domain(with_metadata(metadata, bytes));
      break;
    case 4: {
      static events::EventEngine engine(testing::tiny_event_model());
      metadata = {{"format", events::event_states_format},
                  {"format_version", events::event_states_version},
                  {"model_hash", engine.model().hash},
                  {"sequences", text}};
      parse_states(with_metadata(metadata, bytes), engine);
      break;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  try {
    try_door(bytes[0], std::string(reinterpret_cast<const char*>(bytes + 1), size - 1));
  } catch (const Error& error) {
    for (const char* c = error.what(); *c != 0; ++c) {
      if (*c >= 0 && *c < ' ') std::abort();
    }
    if (std::strlen(error.what()) > 1000) std::abort();
  }
  return 0;
}
