// What a finished job left in its folder, and what its processes took.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cmanp::experiments {

struct Result {
  std::vector<std::vector<nlohmann::ordered_json>> printed;  // by every command: its JSON lines
  std::string machine;                                       // that the job ended on
  std::map<std::string, std::string> data;                   // that the user gave, by the plan's names
  double processor_seconds = 0, wall_seconds = 0;            // all processes, those that were stopped, too
  std::optional<double> megabytes;                           // the most that one of them held; older records have none
};

// What a process took.
struct Taken {
  double processor_seconds = 0, wall_seconds = 0;
  double megabytes = 0;  // in memory, at most
};

// A process that ended, appended to `times.jsonl`.
void note_taken(const std::filesystem::path& job_folder, std::size_t command, const Taken& taken);

// Why a job failed, for the report to say; "" takes it back.
void note_failure(const std::filesystem::path& job_folder, const std::string& why);
// Nothing where it did not fail.
std::optional<std::string> failure_of(const std::filesystem::path& job_folder);

// Reads what the commands printed into files and puts `result.json` in place: from now on the job is done. Throws Error
// where neither the last command printed a result nor there are pictures, and where one of those is missing.
void finish(const std::filesystem::path& job_folder, std::size_t commands,
            const std::vector<std::string>& pictures = {}, const std::map<std::string, std::string>& data = {});

bool is_finished(const std::filesystem::path& job_folder);

// Nothing where the job is not finished. Throws Error where its files are damaged.
std::optional<Result> result_of(const std::filesystem::path& job_folder);

// The file that a command's standard output goes to.
std::filesystem::path printed_by(const std::filesystem::path& job_folder, std::size_t command);

// "AMD EPYC …, 2 cores, 24 GiB", as far as the system tells.
std::string machine_name();

// The first field of this name in anything that was printed, as a number.
std::optional<double> field_anywhere(const Result& result, const std::string& name);

}  // namespace cmanp::experiments
