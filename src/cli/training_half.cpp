#include "cli/training_half.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <filesystem>
#include <string_view>
#include <vector>

#include "cli/wait_policy.hpp"
#include "files/quote.hpp"
#include "files/safetensors.hpp"
#include "runtime/config_json.hpp"

namespace cmanp::cli {
namespace {

void check_runs_here(const std::string& path, const std::string& wanted_format) {
  const files::Safetensors file = files::Safetensors::open(path);
  const auto format = file.metadata().find("format"), model = file.metadata().find("model");
  if (format == file.metadata().end() || model == file.metadata().end()) return;
  if (format->second != wanted_format || runtime::runs_lean(model->second)) return;
  throw HandOver{fmt::format("{}: model {}", path, files::quote(model->second))};
}

}  // namespace

void check_model_runs_here(const std::string& path) { check_runs_here(path, runtime::model_format); }

void check_reference_runs_here(const std::string& path) { check_runs_here(path, runtime::reference_format); }

void check_verb_runs_here(int argc, char** argv) {
  constexpr std::array<std::string_view, 4> verbs{"train", "eval", "export", "models"};
  constexpr std::array<std::string_view, 2> benches{"train", "events"};
  constexpr std::array<std::string_view, 4> of_events{"train", "eval", "baselines", "export"};
  constexpr std::array<std::string_view, 2> of_bandit{"train", "optimise"};
  if (argc < 2) return;
  const std::string_view verb = argv[1];
  const std::string_view second = argc > 2 ? argv[2] : "";
  const auto has = [](const auto& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const bool of_two = (verb == "bench" && has(benches, second)) || (verb == "events" && has(of_events, second)) ||
                      (verb == "bandit" && has(of_bandit, second)) || (verb == "data" && second == "get");
  if (of_two) throw HandOver{fmt::format("`cmanp {} {}`", verb, second)};
  if (has(verbs, verb)) throw HandOver{fmt::format("`cmanp {}`", verb)};
}

void run_training_half(const HandOver& reason, int argc, char** argv) {
  std::string name = "cmanp-train";
  std::vector<char*> arguments(argv, argv + argc);
  arguments[0] = name.data();
  arguments.push_back(nullptr);
  ask_for_sleeping_threads();
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
