// Where a run keeps what, and its state as JSON: all that can be said of a run without its tensors. No libtorch here,
// so that the lean half can say it as well.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

namespace cmanp::runs {

inline constexpr const char* kWeightsFile = "weights.safetensors";
inline constexpr const char* kBestFile = "best.safetensors";  // where the best weights are kept
inline constexpr const char* kStateFile = "state.json";
inline constexpr const char* kMetricsFile = "metrics.jsonl";
inline constexpr const char* kSettingsFile = "settings.json";
inline constexpr const char* kCurveFile = "learning_curve.png";

// The setting by which a run says that it was once to have other steps: written by the run, never by its user.
inline constexpr const char* kExtended = "extended";

// Where a run keeps its checkpoints.
std::filesystem::path checkpoint_folder(const std::filesystem::path& run);

// The name of the checkpoint of a step, and the step in such a name, or -1.
std::string checkpoint_name(std::int64_t step);
std::int64_t step_of(const std::filesystem::path& checkpoint);

// The folder of the newest checkpoint in their folder, if there is any.
std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& folder);

enum class Resume { no, yes, if_there };

// What a run in this folder goes on from; none: it is a new one. Throws Error where one is there and is not to be
// resumed, or is not there and is.
std::optional<std::filesystem::path> checkpoint_to_resume(const std::filesystem::path& run, Resume resume);

// Whether a folder holds a run, finished or not: one that can be resumed.
bool holds_run(const std::filesystem::path& folder);

// The newest checkpoint of a run; throws Error where it has none.
std::filesystem::path checkpoint_of(const std::filesystem::path& run);

struct RunState {
  std::int64_t step = 0;            // finished
  nlohmann::ordered_json settings;  // of the run
  nlohmann::ordered_json progress;  // what the trainer carries from step to step beside tensors
};

// What a checkpoint says; throws Error that names the file and what is wrong with it.
RunState read_state(const std::filesystem::path& checkpoint);

}  // namespace cmanp::runs
