#include "training/events/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmanp/error.hpp>
#include <cmath>
#include <sstream>

#include "base/timestamp.hpp"
#include "files/quote.hpp"
#include "runs/run_files.hpp"
#include "training/events/event_model_kind.hpp"

namespace cmanp::training::events {
namespace {

using Json = nlohmann::ordered_json;

#define CMANP_PLACE(member) [](EventSettings& s) -> Place { return s.member; }

const KeyTable<EventSettings>& event_keys() {
  static const KeyTable<EventSettings> list({
      {"data", CMANP_PLACE(data), "Files of sequences, separated by commas, to be split by the seed", 0, 0, {}, true},
      {"train", CMANP_PLACE(train), "Files to train on, instead of data", 0, 0, {}, true},
      {"validation", CMANP_PLACE(validation), "Files to stop early by", 0, 0, {}, true},
      {"test", CMANP_PLACE(test), "Files to test on", 0, 0, {}, true},
      {"format",
       CMANP_PLACE(format),
       "text, csv, json or jodie (default: by the name's end)",
       0,
       0,
       {"", "text", "csv", "json", "jodie"}},
      {"sequence_column", CMANP_PLACE(sequence_column), "Of CSV or JSON: what tells sequences apart"},
      {"time_column", CMANP_PLACE(time_column), "Of CSV or JSON: numbers, or dates"},
      {"mark_column", CMANP_PLACE(mark_column), "Of CSV or JSON: the events' kinds"},
      {"window_from", CMANP_PLACE(window_from),
       "When sequences begin: a number or date, or `first` for each one's first event"},
      {"window_to", CMANP_PLACE(window_to),
       "When watching ended: a number or date, or `last` for each one's last event"},
      {"train_share", CMANP_PLACE(train_share), "Of the data's sequences", 0.01, 1},
      {"validation_share", CMANP_PLACE(validation_share), "Of the data's sequences; what is left is the test's", 0, 1},
      {"split_seed", CMANP_PLACE(split_seed), "Decides which sequences those are"},
      {"model", CMANP_PLACE(model), fmt::format("One of {}", fmt::join(event_model_kinds().names(), ", "))},
      {"d_model", CMANP_PLACE(shape.d_model), "Width of tokens", 1, 4096},
      {"nhead", CMANP_PLACE(shape.nhead), "Attention heads", 1, 4096},
      {"dim_feedforward", CMANP_PLACE(shape.dim_feedforward), "Hidden width of feed-forwards", 1, 16384},
      {"num_layers", CMANP_PLACE(shape.num_layers), "Blocks or layers", 1, 100},
      {"num_latents", CMANP_PLACE(shape.num_latents), "Of cmhp: latents that the heads read", 1, 4096},
      {"num_latents_per_layer", CMANP_PLACE(shape.num_latents_per_layer), "Of cmhp: each block's own", 1, 4096},
      {"components", CMANP_PLACE(shape.components), "Log-normals in the mixture", 1, 4096},
      {"head_width", CMANP_PLACE(shape.head_width), "Hidden width of the heads", 1, 65536},
      {"decay", CMANP_PLACE(shape.decay), "Of cmhp: latents forget, at learnt rates"},
      {"last_token", CMANP_PLACE(shape.last_token), "Of cmhp: the heads see the last event beside the latents"},
      {"previous_mark", CMANP_PLACE(shape.previous_mark), "Tokens know the mark before their own"},
      {"normalisers", CMANP_PLACE(shape.normalisers), "Of cmhp: the heads see the attentions' log-normalisers"},
      {"recent_marks", CMANP_PLACE(shape.recent_marks), "Distinct marks that are remembered, and predicted as such", 0,
       1000},
      {"dropout", CMANP_PLACE(shape.dropout), "Of what the heads read", 0, 0.9},
      {"batch_events", CMANP_PLACE(batch_events), "Tokens in a batch, padding included", 1, 1e7},
      {"prefix_share", CMANP_PLACE(prefix_share), "Share of a sequence's prefixes that a step trains on", 0.001, 1},
      {"steps", CMANP_PLACE(steps), "Optimiser steps", 1, 1e9},
      {"minutes", CMANP_PLACE(minutes), "", 0, 1e6, {}, true},
      {"optimiser", CMANP_PLACE(optimiser), "adam or muon", 0, 0, {"adam", "muon"}},
      {"schedule", CMANP_PLACE(schedule), "cosine or constant", 0, 0, {"cosine", "constant"}},
      {"lr", CMANP_PLACE(lr), "Learning rate", 1e-12, 10},
      {"warmup", CMANP_PLACE(warmup), "Steps", 0, 1e9},
      {"clip", CMANP_PLACE(clip), "Largest gradient norm; 0: any", 0, 1e9},
      {"weight_decay", CMANP_PLACE(weight_decay), "Decoupled", 0, 10},
      {"ema", CMANP_PLACE(ema), "Decay of averaged weights, which are evaluated and exported; 0: none", 0, 0.999999},
      {"patience",
       CMANP_PLACE(patience),
       "Evaluations without a gain before training stops; 0: never",
       0,
       1e9,
       {},
       true},
      {"seed", CMANP_PLACE(seed), "Of weights and batches", 0, 9e15},
      {"log_every", CMANP_PLACE(log_every), "Steps between lines of metrics", 1, 1e9, {}, true},
      {"eval_every", CMANP_PLACE(eval_every), "Steps between evaluations on the validation part", 1, 1e9},
      {"save_every", CMANP_PLACE(save_every), "Steps between checkpoints", 1, 1e9, {}, true},
      {"save_minutes", CMANP_PLACE(save_minutes), "Minutes after which there is one in any case", 0, 1e6, {}, true},
      {"threads", CMANP_PLACE(threads), "0: one a core", 0, 1024, {}, true},
      {runs::kExtended, CMANP_PLACE(extended), "", 0, 0, {}, true},
  });
  return list;
}

#undef CMANP_PLACE

// Those of classic processes are none of the trained ones.
const EventModelKind& kind_of(const std::string& model) {
  if (classic_kinds().find(model) != nullptr) {
    throw Error(fmt::format("{} is not trained but fitted, by `cmanp events baselines`; models to train are {}", model,
                            fmt::join(event_model_kinds().names(), ", ")));
  }
  return event_model_kinds().at(model);
}

std::optional<double> parse_bound(const char* key, const std::string& text, const char* none) {
  if (text == none) return {};
  if (const auto date = base::parse_timestamp(text)) return date->seconds;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw Error(fmt::format("{} must be a number, a date or `{}`, not {}", key, none, files::quote(text)));
  }
  return value;
}

void check_together(const EventSettings& s) {
  if (s.data.empty() == s.train.empty()) throw Error("name the sequences either by data or by train and validation");
  if (!s.train.empty() && s.validation.empty()) throw Error("train needs a validation, to know when to stop");
  if (s.data.empty() != s.validation.empty() && !s.validation.empty() && s.train.empty()) {
    throw Error("validation needs a train");
  }
  if (s.train_share + s.validation_share > 1) throw Error("train_share and validation_share are more than all");
  if (s.shape.d_model % s.shape.nhead != 0) {
    throw Error(fmt::format("d_model {} is not a multiple of nhead {}", s.shape.d_model, s.shape.nhead));
  }
  if (s.warmup >= s.steps) throw Error(fmt::format("warmup {} leaves nothing of {} steps", s.warmup, s.steps));
  s.window();
}

EventSettings parse(const Json& document) {
  if (!document.is_object()) throw Error("settings must be a JSON object");
  EventSettings settings;
  if (document.contains("model")) event_keys().set(settings, "model", document["model"]);
  const EventModelKind& kind = kind_of(settings.model);
  settings.shape = kind.usual_shape;
  settings.prefix_share = kind.usual_prefix_share;
  for (const auto& [name, value] : document.items()) {
    if (!event_keys().has(name)) {
      throw Error(
          fmt::format("there is no setting {}{}", files::quote(name), did_you_mean(name, event_keys().names())));
    }
    event_keys().set(settings, name, value);
  }
  check_together(settings);
  return settings;
}

}  // namespace

cmanp::events::ReadOptions EventSettings::read_options() const {
  cmanp::events::ReadOptions options;
  options.format = format;
  options.sequence_column = sequence_column;
  options.time_column = time_column;
  options.mark_column = mark_column;
  return options;
}

Window EventSettings::window() const {
  return {parse_bound("window_from", window_from, "first"), parse_bound("window_to", window_to, "last")};
}

std::vector<SettingsKey> event_settings_keys() { return event_keys().described(); }

EventSettings parse_event_settings(const Json& document, const std::string& where) {
  return naming(where, [&] { return parse(document); });
}

Json to_json(const EventSettings& settings) { return event_keys().to_json(settings); }

Json parse_event_value(const std::string& key, const std::string& text) {
  return parse_typed(event_settings_keys(), key, text);
}

void check_event_run_resumable(const Json& before, const Json& now, const std::string& run) {
  check_resumable(event_keys().all(), before, now, run);
}

std::vector<std::filesystem::path> file_list(const std::string& names) {
  std::vector<std::filesystem::path> files;
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');) {
    if (!name.empty()) files.emplace_back(name);
  }
  return files;
}

}  // namespace cmanp::training::events
