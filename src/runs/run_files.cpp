#include "runs/run_files.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmanp/error.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "files/json.hpp"

namespace cmanp::runs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";

}  // namespace

fs::path checkpoint_folder(const fs::path& run) { return run / "checkpoints"; }

std::string checkpoint_name(std::int64_t step) { return fmt::format("{}{:08}", kPrefix, step); }

std::int64_t step_of(const fs::path& checkpoint) {
  const std::string name = checkpoint.filename().string();
  if (!name.starts_with(kPrefix)) return -1;
  std::int64_t step = -1;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kPrefix.size(), end, step);
  return error == std::errc() && rest == end ? step : -1;
}

std::optional<fs::path> latest_checkpoint(const fs::path& folder) {
  std::error_code ignored;
  std::optional<fs::path> latest;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (step_of(entry.path()) > (latest ? step_of(*latest) : -1)) latest = entry.path();
  }
  return latest;
}

std::optional<fs::path> checkpoint_to_resume(const fs::path& run, Resume resume) {
  if (resume == Resume::yes) return checkpoint_of(run);
  std::optional<fs::path> latest = latest_checkpoint(checkpoint_folder(run));
  if (latest && resume == Resume::no) {
    throw Error(fmt::format("{} holds a run already: resume it, or choose another folder", run.string()));
  }
  return latest;
}

bool holds_run(const fs::path& folder) { return latest_checkpoint(checkpoint_folder(folder)).has_value(); }

fs::path checkpoint_of(const fs::path& run) {
  std::optional<fs::path> latest = latest_checkpoint(checkpoint_folder(run));
  if (!latest) throw Error(fmt::format("{}: holds no training run (no checkpoints/step-… in it)", run.string()));
  return *latest;
}

RunState read_state(const fs::path& checkpoint) {
  const fs::path path = checkpoint / kStateFile;
  const nlohmann::ordered_json document = files::read_json(path);
  RunState state;
  try {
    state.step = document.at("step").get<std::int64_t>();
    state.progress = document.at("progress");
    state.settings = document.at("settings");
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
  if (state.step < 0) throw Error(fmt::format("{}: step is {}", path.string(), state.step));
  for (const auto* part : {&state.progress, &state.settings}) {
    if (!part->is_object()) throw Error(fmt::format("{}: progress and settings must be objects", path.string()));
  }
  return state;
}

}  // namespace cmanp::runs
