// cmanp events inspect: what a file of events, an event model or saved states hold.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/timestamp.hpp"
#include "cli/events.hpp"
#include "cli/messages.hpp"
#include "cli/model_summary.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "events/event_engine.hpp"
#include "events/event_states.hpp"
#include "events/time_scale.hpp"
#include "files/json.hpp"

namespace cmanp::cli {
namespace {

using Json = nlohmann::ordered_json;

struct EventInspectOptions {
  std::string file;
  events::ReadOptions columns;
  bool json = false;
};

// A safetensors file has its header's length, eight bytes, and then an opening brace.
bool is_safetensors(const std::string& path) {
  std::array<char, 9> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return head[8] == '{' && head[7] == 0 && head[6] == 0;
}

Json describe_events(const EventInspectOptions& options) {
  const events::EventData data = events::read_events({options.file}, options.columns);
  for (const std::string& remark : data.remarks) note(remark);
  const auto time = [&](double seconds) { return data.dated ? Json(base::format_timestamp(seconds)) : Json(seconds); };
  std::size_t longest = 0, ties = 0, single = 0, repeats = 0;
  double first = INFINITY, last = 0;
  for (const events::Sequence& sequence : data.sequences) {
    longest = std::max(longest, sequence.times.size());
    single += sequence.times.size() == 1 ? 1 : 0;
    first = std::min(first, sequence.times.front());
    last = std::max(last, sequence.times.back());
    for (std::size_t i = 1; i < sequence.times.size(); ++i) {
      ties += sequence.times[i] == sequence.times[i - 1] ? 1 : 0;
      repeats += !sequence.marks.empty() && sequence.marks[i] == sequence.marks[i - 1] ? 1 : 0;
    }
  }
  Json result{{"file", options.file},
              {"sequences", data.sequences.size()},
              {"events", data.events()},
              {"longest", longest},
              {"of_one_event", single},
              {"marks", data.mark_names.size()},
              {"first_time", time(first)},
              {"last_time", time(last)},
              {"ties", ties},
              {"typical_gap", nullptr}};
  const std::size_t followers = data.events() - data.sequences.size();  // of another event of their sequence
  if (!data.mark_names.empty() && followers > 0) {
    result["marks_that_repeat_the_last"] = static_cast<double>(repeats) / static_cast<double>(followers);
  }
  if (followers > ties) {
    const events::TimeScale scale = fit_time_scale(data.sequences, {});
    result["typical_gap"] = scale.typical_gap();
    result["shortest_gap"] = scale.tie_gap;
    result["longest_gap"] = scale.longest_gap;
    result["mean_duration"] = scale.span;
  }
  return result;
}

Json describe_event_model(const files::Safetensors& file, const std::string& path) {
  const auto model = events::EventModel::parse(file);
  events::EventEngine engine(model);
  Json domain = to_json(model->domain);
  domain["marks"] = model->domain.mark_names.size();
  return {
      {"file", path},
      {"format", metadata_entry(file, "format")},
      {"model", metadata_entry(file, "model")},
      {"parameters", model->parameters},
      {"hash", model->hash},
      {"configuration", to_json(model->config)},
      {"domain", domain},
      {"memory",
       {{"weights", model->bytes()}, {"scratch", engine.bytes()}, {"state_of_a_sequence", engine.begin().bytes()}}}};
}

Json describe(const EventInspectOptions& options) {
  if (!std::filesystem::exists(options.file)) throw Error(fmt::format("{}: no such file", options.file));
  if (!is_safetensors(options.file)) return describe_events(options);
  const files::Safetensors file = files::Safetensors::open(options.file);
  if (metadata_entry(file, "format") != events::event_states_format) return describe_event_model(file, options.file);
  const Json names =
      files::parse_json(metadata_entry(file, "sequences"), fmt::format("{}: metadata \"sequences\"", options.file));
  return {{"file", options.file},
          {"format", metadata_entry(file, "format")},
          {"model_hash", metadata_entry(file, "model_hash")},
          {"sequences", names.is_array() ? names.size() : 0},
          {"file_bytes", std::filesystem::file_size(options.file)}};
}

void run_events_inspect(const EventInspectOptions& options) {
  const Json description = describe(options);
  if (options.json) return print_json(description);
  print_fields(description);
}

}  // namespace

void add_events_inspect(CLI::App& events) {
  auto options = std::make_shared<EventInspectOptions>();
  CLI::App* verb = add_verb(events, "inspect", "What a file of events, an event model or saved states hold",
                            "cmanp events inspect purchases.csv --time-column when --sequence-column customer");
  verb->add_option("file", options->file, "Events (text, CSV, JSON or JODIE's CSV), a model or states")
      ->required()
      ->type_name("FILE");
  verb->add_option("--format", options->columns.format, "text, csv, json or jodie (default: by the name's end)")
      ->check(CLI::IsMember({"text", "csv", "json", "jodie"}));
  add_event_columns(verb, options->columns);
  add_json(verb, options->json);
  verb->callback([options] { run_events_inspect(*options); });
}

}  // namespace cmanp::cli
