#include "cli/training_half.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <filesystem>
#include <vector>

#include "cli/library_environment.hpp"
#include "cli/training_verbs.hpp"
#include "files/json.hpp"
#include "files/quote.hpp"
#include "files/safetensors.hpp"
#include "runs/run_files.hpp"
#include "runtime/config_json.hpp"

namespace cmanp::cli {
namespace {

void check_runs_here(const std::string& path, const std::string& wanted_format) {
  const files::Safetensors file = files::Safetensors::open(path);
  const auto format = file.metadata().find("format"), model = file.metadata().find("model");
  if (format == file.metadata().end() || model == file.metadata().end()) return;
  const bool lean = runtime::runs_lean(model->second);
  if (format->second != wanted_format || lean) return;
  throw HandOver{fmt::format("{}: model {}", path, files::quote(model->second))};
}

}  // namespace

void check_model_runs_here(const std::string& path) {
  if (std::filesystem::exists(std::filesystem::path(path) / runs::kSettingsFile)) {
    throw Error(fmt::format("{}: a training run; `cmanp export {} -o MODEL.cmanp` makes a model of it", path, path));
  }
  check_runs_here(path, runtime::model_format);
}

void check_predicts_here(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw HandOver{fmt::format("{}: a run", path)};
  check_model_runs_here(path);
  const files::Safetensors file = files::Safetensors::open(path);
  const auto provenance = file.metadata().find("provenance");
  if (provenance == file.metadata().end()) return;
  const auto document = files::try_parse_json(provenance->second);
  if (!document || !document->is_object() || !document->contains("settings")) return;
  const auto& settings = (*document)["settings"];
  const bool rows = settings.is_object() && settings.contains("x_as") && settings["x_as"].is_string() &&
                    !settings["x_as"].get<std::string>().empty();
  if (rows) throw HandOver{fmt::format("{}: a model of a table with several x", path)};
}

void check_reference_runs_here(const std::string& path) { check_runs_here(path, runtime::reference_format); }

void check_verb_runs_here(int argc, char** argv) {
  const std::string verb = training_verb_in({argv + 1, argv + std::max(1, argc)});
  if (!verb.empty()) throw HandOver{fmt::format("`cmanp {}`", verb)};
}

void run_training_half(const HandOver& reason, int argc, char** argv) {
  std::string name = "cmanp-train";
  std::vector<char*> arguments(argv, argv + argc);
  arguments[0] = name.data();
  arguments.push_back(nullptr);
  prepare_environment();
  std::error_code ignored;
  const std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe", ignored).replace_filename(name);
  execv(beside.c_str(), arguments.data());  // returns only where it is not there
  execvp(name.c_str(), arguments.data());
  throw Error(
      fmt::format("{} needs the training half, program {}, which is neither beside this program nor on PATH; install "
                  "libtorch (Debian: `tools/install_packages training`) and build again, see README.md",
                  reason.why, name));
}

}  // namespace cmanp::cli
