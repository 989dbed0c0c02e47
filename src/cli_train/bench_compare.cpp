#include "cli_train/bench_compare.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmanp/error.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/exit.hpp"
#include "cli/output.hpp"
#include "training/models/cmanp_trunk.hpp"
#include "training/models/diagonal_model.hpp"
#include "training/neural_process.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

using torch::Tensor;
using training::Mode;

// "VmRSS" and "VmHWM" of this process, in bytes.
double status_bytes(const std::string& key) {
  std::ifstream stream("/proc/self/status");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(key + ":")) return 1024 * std::stod(line.substr(key.size() + 1));
  }
  throw Error("/proc/self/status: has no " + key);
}

// What `work` takes at most beyond what there was before.
double peak_bytes(const std::function<void()>& work) {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // the highest mark so far is forgotten
  const double before = status_bytes("VmRSS");
  work();
  return std::max(0.0, status_bytes("VmHWM") - before);
}

double median_seconds(const std::function<void()>& work, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); };
  std::vector<double> times;
  for (const auto began = Clock::now(); times.empty() || since(began) < seconds;) {
    const auto start = Clock::now();
    work();
    times.push_back(since(start));
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

struct Sizes {
  std::int64_t points = 0, targets = 0, added = 0;
};

// A phase, ready to be done as often as wanted. Throws Error where a model has no such phase.
std::function<void()> phase_of(training::NeuralProcess& model, const std::string& phase, const Sizes& sizes) {
  const auto draw = [](std::int64_t count) { return torch::randn({1, count, 1}); };
  const Tensor xc = draw(sizes.points), yc = draw(sizes.points), xt = draw(sizes.targets), yt = draw(sizes.targets);
  const Tensor xu = draw(sizes.added), yu = draw(sizes.added);
  if (phase == "answer") {
    return [&model, batch = training::Batch{xc, yc, xt, yt}] { model.log_likelihood(batch); };
  }
  auto* diagonal = dynamic_cast<training::DiagonalModel*>(&model);
  if (diagonal == nullptr) throw Error(fmt::format("{}: only phase answer is measured of it", model.model_name()));
  training::Trunk& trunk = diagonal->trunk();
  auto* perceiver = dynamic_cast<training::PerceiverTrunk*>(&trunk);
  if (perceiver == nullptr) {  // a TNP goes through all of it with every query
    if (phase == "query") return [&trunk, xc, yc, xt] { trunk.encode(xc, yc, xt, Mode::evaluation); };
    throw Error(fmt::format("{}: has no phase {}: a query does it all", model.model_name(), phase));
  }
  if (phase == "condition") return [=] { perceiver->encode_context(xc, yc, Mode::evaluation); };
  if (phase == "query") {
    return [=, encodings = perceiver->encode_context(xc, yc, Mode::evaluation)] { perceiver->decode(xt, encodings); };
  }
  auto* reader = dynamic_cast<training::CmanpTrunk*>(&trunk);
  if (phase == "update" && reader != nullptr) {
    auto state = reader->empty_state();
    reader->observe(state, xc, yc, 4096);
    return [=]() mutable {
      reader->observe(state, xu, yu, 0);
      reader->latents(state, 1);
    };
  }
  const Tensor all_x = torch::cat({xc, xu}, 1), all_y = torch::cat({yc, yu}, 1);
  return [=] { perceiver->encode_context(all_x, all_y, Mode::evaluation); };
}

nlohmann::ordered_json measure(const std::string& name, const std::string& phase, const Sizes& sizes, double seconds) {
  const torch::NoGradGuard no_grad;
  training::use_threads(1);
  const auto model = training::make_model(name, training::default_config(name, "gp"));
  model->eval();
  phase_of(*model, phase, {8, 8, 1})();  // makes what stays: libraries, working space
  const auto work = phase_of(*model, phase, sizes);
  const double bytes = peak_bytes(work);
  return {{"model", phase == "update-slow" ? name + ", from the start" : name},
          {"phase", phase},
          {"points", sizes.points},
          {"targets", sizes.targets},
          {"seconds", median_seconds(work, seconds)},
          {"megabytes", bytes / 1e6}};
}

void print(const nlohmann::ordered_json& line, bool json) {
  if (json) return cli::print_json(line);
  cli::Output output;
  output.text(fmt::format("{:<24} {:<12} {:>9} {:>8} {:>12.3f} {:>10.1f}\n", line["model"].get<std::string>(),
                          line["phase"].get<std::string>(), line["points"].get<std::int64_t>(),
                          line["targets"].get<std::int64_t>(), 1e3 * line["seconds"].get<double>(),
                          line["megabytes"].get<double>()));
  output.flush();
}

void measure_elsewhere(const CompareOptions& options, const std::string& model, const Sizes& sizes) {
  std::vector<std::string> words{"cmanp-train", "bench",
                                 "compare",     "--here",
                                 "--model",     model,
                                 "--phase",     options.phase,
                                 "--points",    std::to_string(sizes.points),
                                 "--targets",   std::to_string(sizes.targets),
                                 "--added",     std::to_string(sizes.added),
                                 "--seconds",   fmt::format("{}", options.seconds)};
  if (options.json) words.emplace_back("--json");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  pid_t process = 0;
  int status = 0;
  if (const int problem = posix_spawn(&process, program.c_str(), nullptr, nullptr, arguments.data(), environ)) {
    throw Error(fmt::format("cannot start a process: {}", std::generic_category().message(problem)));
  }
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw cli::Exit{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};  // it has said why
}

}  // namespace

void bench_compare(const CompareOptions& options) {
  if (!options.json && !options.here) {
    cli::Output output;
    output.text(fmt::format("{:<24} {:<12} {:>9} {:>8} {:>12} {:>10}\n", "model", "phase", "points", "targets",
                            "milliseconds", "megabytes"));
    output.flush();
  }
  for (const std::string& model : options.models) {
    for (const std::int64_t points : options.points) {
      for (const std::int64_t targets : options.targets) {
        const Sizes sizes{points, targets, options.added};
        if (options.here) {
          print(measure(model, options.phase, sizes, options.seconds), options.json);
        } else {
          measure_elsewhere(options, model, sizes);
        }
      }
    }
  }
}

}  // namespace cmanp::cli_train
