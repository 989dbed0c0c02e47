#include "training/events/event_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>

#include "events/event_model.hpp"
#include "events/read_events.hpp"
#include "files/json.hpp"
#include "training/events/event_model_kind.hpp"
#include "training/events/event_models.hpp"
#include "training/trainer/tensor_file.hpp"

#include "files/json.hpp"

namespace cmanp::training::events {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBest = "best.safetensors";

NamedTensors parameters_of(EventNetwork& network) {
  NamedTensors tensors;
  for (const auto& item : network.named_parameters()) tensors[item.key()] = item.value();
  return tensors;
}

std::string entry(const files::Safetensors& file, const char* name) {
  const auto found = file.metadata().find(name);
  if (found == file.metadata().end()) throw Error(fmt::format("{}: its metadata has no \"{}\"", file.name(), name));
  return found->second;
}

}  // namespace

EventParts load_parts(const EventSettings& settings, const std::vector<std::string>& known_marks) {
  cmanp::events::ReadOptions options = settings.read_options();
  options.known_marks = known_marks;
  std::vector<fs::path> all = file_list(settings.data);
  std::size_t train_end = 0, validation_end = 0;
  if (settings.data.empty()) {
    all = file_list(settings.train);
    train_end = all.size();
    for (const fs::path& file : file_list(settings.validation)) all.push_back(file);
    validation_end = all.size();
    for (const fs::path& file : file_list(settings.test)) all.push_back(file);
  }
  cmanp::events::EventData data = read_events(all, options);
  check_window(settings.window(), data.sequences);
  EventParts parts;
  parts.mark_names = std::move(data.mark_names);
  parts.remarks = std::move(data.remarks);
  if (settings.data.empty()) {
    for (Sequence& sequence : data.sequences) {
      auto& part = sequence.file < train_end        ? parts.train
                   : sequence.file < validation_end ? parts.validation
                                                    : parts.test;
      part.push_back(std::move(sequence));
    }
  } else {
    cmanp::events::Split split =
        split_by_seed(std::move(data.sequences), settings.train_share, settings.validation_share,
                      static_cast<std::uint64_t>(settings.split_seed));
    parts.train = std::move(split.train);
    parts.validation = std::move(split.validation);
    parts.test = std::move(split.test);
  }
  const std::size_t all_sequences = parts.train.size() + parts.validation.size() + parts.test.size();
  if (!settings.data.empty() && settings.validation_share > 0 && (parts.train.empty() || parts.validation.empty())) {
    throw Error(fmt::format(
        "{} to learn from some, stop by others and test on the rest: name the column that tells sequences apart, such "
        "as "
        "a customer, a machine or a day (--sequence-column), or cut the file by time into train, validation and test",
        all_sequences == 1 ? "all events are one sequence, too few"
                           : fmt::format("{} sequences are too few", all_sequences)));
  }
  if (parts.train.empty()) throw Error("the training part has no sequences");
  if (parts.validation.empty()) throw Error("the validation part has no sequences");
  return parts;
}

EventDomain fit_domain(const EventParts& parts, const EventSettings& settings) {
  const Window window = settings.window();
  return {fit_time_scale(parts.train, window), window.from, parts.mark_names};
}

void save_best(const fs::path& run, const TrainedEvents& best) {
  write_tensors(run / kBest,
                {{"settings", to_json(best.settings).dump()},
                 {"domain", cmanp::events::to_json(best.domain).dump()},
                 {"step", std::to_string(best.step)},
                 {"validation_nll", fmt::format("{}", best.validation_nll)}},
                parameters_of(*best.network));
}

TrainedEvents load_best(const fs::path& run) {
  const fs::path path = run / kBest;
  if (!fs::exists(path)) {
    throw Error(fmt::format("{}: holds no finished evaluation of an event model (no {} in it)", run.string(), kBest));
  }
  const files::Safetensors file = files::Safetensors::open(path);
  TrainedEvents trained;
  try {
    trained.settings = parse_event_settings(files::parse_json(entry(file, "settings"), "metadata \"settings\""), "");
    trained.step = std::stoll(entry(file, "step"));
    trained.validation_nll = std::stod(entry(file, "validation_nll"));
  } catch (const std::exception& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
  trained.domain = cmanp::events::parse_domain(file);
  NetworkShape shape = trained.settings.shape;
  shape.marks = static_cast<std::int64_t>(trained.domain.mark_names.size());
  trained.network = make_network(trained.settings.model, shape, 0);
  copy_tensors(path.string(), read_tensors(file), parameters_of(*trained.network));
  trained.network->eval();
  return trained;
}

bool ends_by_time(const runs::RunState& state) {
  const auto number = [](const nlohmann::ordered_json& object, const char* key) {
    return object.contains(key) && object[key].is_number() ? object[key].get<double>() : 0.0;
  };
  return state.progress.contains("seconds") && number(state.settings, "minutes") > 0 &&
         (state.step == 0 || number(state.progress, "seconds") > 0);
}

std::int64_t steps_by_time(const runs::RunState& state) {
  const double share = 60 * state.settings["minutes"].get<double>() / state.progress["seconds"].get<double>();
  const auto steps = std::llround(std::min(1e9, static_cast<double>(state.step) * share));
  return std::max(state.step, std::min<std::int64_t>(steps, state.settings.value("steps", std::int64_t{1000000000})));
}

void export_events(const fs::path& path, const TrainedEvents& trained, const std::string& provenance) {
  if (!event_model_kinds().at(trained.network->model_name()).lean) {
    throw Error(fmt::format("streams of events need a cmhp, whose state does not grow; this run's model is {}",
                            trained.network->model_name()));
  }
  write_tensors(path, model_metadata(lean_config(trained.network->shape()), trained.domain, provenance),
                parameters_of(*trained.network));
}

}  // namespace cmanp::training::events
