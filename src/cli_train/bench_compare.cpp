#include "cli_train/bench_compare.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmanp/error.hpp>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/seconds.hpp"
#include "cli/exit.hpp"
#include "cli/output.hpp"
#include "runs/minutes.hpp"
#include "training/models/cmanp_trunk.hpp"
#include "training/models/diagonal_model.hpp"
#include "training/models/joint_model.hpp"
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

// What `work` takes at most beyond what there was before. Meanwhile what is freed goes back to the system at once, or
// it would count what nobody uses any more.
double peak_bytes(const std::function<void()>& work) {
  constexpr int kBlock = 1 << 14;  // bytes, from which on a block is the system's own
  mallopt(M_MMAP_THRESHOLD, kBlock);
  mallopt(M_MMAP_MAX, 1 << 20);
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // the highest mark so far is forgotten
  const double before = status_bytes("VmRSS");
  work();
  return std::max(0.0, status_bytes("VmHWM") - before);
}

// Of all threads of this process, on whatever core: others on the machine disturb it less than a clock on the wall.
double seconds_of(const std::function<void()>& work, double seconds) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);  // to keep memory costs no time
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  work();
  return runs::median_seconds(work, seconds, base::seconds_of_process);
}

struct Sizes {
  std::int64_t points = 0, targets = 0, added = 0;
};

// A model has no such phase, or none that can be told from the others.
struct NoSuchPhase {
  std::string why;
};

using Work = std::function<void()>;

struct Data {
  explicit Data(const Sizes& sizes)
      : xc(draw(sizes.points)),
        yc(draw(sizes.points)),
        xt(draw(sizes.targets)),
        yt(draw(sizes.targets)),
        xu(draw(sizes.added)),
        yu(draw(sizes.added)) {}

  static Tensor draw(std::int64_t count) { return torch::randn({1, count, 1}); }

  Tensor xc, yc, xt, yt, xu, yu;
};

training::Trunk* trunk_of(training::NeuralProcess& model) {
  if (auto* diagonal = dynamic_cast<training::DiagonalModel*>(&model)) return &diagonal->trunk();
  if (auto* joint = dynamic_cast<training::JointModel*>(&model)) return &joint->trunk();
  return nullptr;
}

// What CMANP-AND does for targets, from what is known of the context: block by block, each then joining it.
Work query_in_blocks(training::JointModel& joint, training::CmanpTrunk& reader, const Data& data) {
  auto state = reader.empty_state();
  reader.observe(state, data.xc, data.yc, joint.config().CMAB_block_size);
  return [&joint, &reader, state, xt = data.xt, yt = data.yt] {
    auto known = state;
    for (std::int64_t first = 0; first < xt.size(1);) {
      const std::int64_t count = std::min(joint.config().AND_block_size, xt.size(1) - first);
      const Tensor x = xt.narrow(1, first, count);
      joint.head()(reader.encode(known, x), x);
      reader.observe(known, x, yt.narrow(1, first, count), 0);
      first += count;
    }
  };
}

Work query_of(training::NeuralProcess& model, training::Trunk& trunk, const Data& data) {
  auto* joint = dynamic_cast<training::JointModel*>(&model);
  auto* perceiver = dynamic_cast<training::PerceiverTrunk*>(&trunk);
  auto* reader = dynamic_cast<training::CmanpTrunk*>(&trunk);
  if (joint != nullptr && reader != nullptr) return query_in_blocks(*joint, *reader, data);
  const auto head = [joint](const Tensor& encoded, const Tensor& x) {
    if (joint != nullptr) joint->head()(encoded, x);
  };
  if (perceiver == nullptr) {  // a TNP goes through all of it with every query
    return
        [=, &trunk, xc = data.xc, yc = data.yc, xt = data.xt] { head(trunk.encode(xc, yc, xt, Mode::evaluation), xt); };
  }
  return [=, xt = data.xt, encodings = perceiver->encode_context(data.xc, data.yc, Mode::evaluation)] {
    head(perceiver->decode(xt, encodings), xt);
  };
}

// A phase, ready to be done as often as wanted. Throws NoSuchPhase.
Work phase_of(training::NeuralProcess& model, const std::string& phase, const Sizes& sizes) {
  const Data data(sizes);
  if (phase == "answer") {
    return [&model, batch = training::Batch{data.xc, data.yc, data.xt, data.yt}] { model.log_likelihood(batch); };
  }
  training::Trunk* trunk = trunk_of(model);
  if (trunk == nullptr) throw NoSuchPhase{"only phase answer is measured of it"};
  if (phase == "query") return query_of(model, *trunk, data);
  auto* perceiver = dynamic_cast<training::PerceiverTrunk*>(trunk);
  if (perceiver == nullptr) throw NoSuchPhase{"a query does it all"};
  if (phase == "condition") return [=] { perceiver->encode_context(data.xc, data.yc, Mode::evaluation); };
  auto* reader = dynamic_cast<training::CmanpTrunk*>(trunk);
  const std::int64_t chunk = model.config().CMAB_block_size;
  if (phase == "update" && reader != nullptr) {
    auto state = reader->empty_state();
    reader->observe(state, data.xc, data.yc, chunk);
    return [=]() mutable {
      reader->observe(state, data.xu, data.yu, chunk);
      reader->latents(state, 1);
    };
  }
  const Tensor all_x = torch::cat({data.xc, data.xu}, 1), all_y = torch::cat({data.yc, data.yu}, 1);
  return [=] { perceiver->encode_context(all_x, all_y, Mode::evaluation); };
}

nlohmann::ordered_json measure(const CompareOptions& options, const std::string& name, const Sizes& sizes) {
  const torch::NoGradGuard no_grad;
  training::use_threads(1);
  const auto model = training::make_model(name, training::default_config(name, "gp"));
  model->eval();
  model->settings().CMAB_block_size = options.chunk;
  model->settings().AND_block_size = options.block;
  nlohmann::ordered_json line{{"model", options.phase == "update-slow" ? name + ", from the start" : name},
                              {"phase", options.phase},
                              {"points", sizes.points},
                              {"targets", sizes.targets},
                              {"added", sizes.added},
                              {"chunk", options.chunk},
                              {"block", options.block},
                              {"seconds", nullptr},
                              {"megabytes", nullptr}};
  try {
    phase_of(*model, options.phase, {8, 8, 1})();  // makes what stays: libraries, working space
    const Work work = phase_of(*model, options.phase, sizes);
    line["megabytes"] = peak_bytes(work) / 1e6;
    line["seconds"] = seconds_of(work, options.seconds);
  } catch (const NoSuchPhase& none) {
    line["remark"] = none.why;
  }
  return line;
}

void print(const nlohmann::ordered_json& line, bool json) {
  if (json) return cli::print_json(line);
  cli::Output output;
  const bool measured = line["seconds"].is_number();
  output.text(fmt::format("{:<24} {:<12} {:>9} {:>8} {:>12} {:>10}\n", line["model"].get<std::string>(),
                          line["phase"].get<std::string>(), line["points"].get<std::int64_t>(),
                          line["targets"].get<std::int64_t>(),
                          measured ? fmt::format("{:.3f}", 1e3 * line["seconds"].get<double>()) : "none",
                          measured ? fmt::format("{:.1f}", line["megabytes"].get<double>())
                                   : fmt::format("none: {}", line["remark"].get<std::string>())));
  output.flush();
}

// A child has nothing of other measurements: this process does none.
void measure_elsewhere(const CompareOptions& options, const std::string& model, const Sizes& sizes) {
  const pid_t process = fork();
  if (process < 0) throw Error(fmt::format("cannot start a process: {}", std::generic_category().message(errno)));
  if (process == 0) {
    print(measure(options, model, sizes), options.json);
    throw cli::Exit{0};
  }
  int status = 0;
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
        for (const std::int64_t added : options.added) {
          const Sizes sizes{points, targets, added};
          if (options.here) {
            print(measure(options, model, sizes), options.json);
          } else {
            measure_elsewhere(options, model, sizes);
          }
        }
      }
    }
  }
}

}  // namespace cmanp::cli_train
