#include "cli_train/bench_events.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "events/event_engine.hpp"
#include "training/events/event_models.hpp"
#include "training/events/event_run.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

using training::events::Thp;

constexpr std::int64_t kMarks = 100;

// Microseconds of processor time a call, as many calls as fit, the first one not counted.
double time_calls(const std::function<void()>& call, double seconds) {
  call();
  const std::clock_t start = std::clock();
  std::size_t count = 0;
  double spent = 0;
  do {
    call();
    ++count;
    spent = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  } while (spent < seconds);
  return 1e6 * spent / static_cast<double>(count);
}

training::events::TrainedEvents untrained(const std::string& model) {
  training::events::TrainedEvents result;
  result.settings = training::events::parse_event_settings({{"model", model}, {"data", "none"}}, "");
  result.domain.scale = {0, 1, 1e-3, 1000};
  for (std::int64_t m = 0; m < kMarks; ++m) result.domain.mark_names.push_back(std::to_string(m));
  training::events::NetworkShape shape = result.settings.shape;
  shape.marks = kMarks;
  result.network = training::events::make_network(model, shape, 0);
  result.network->eval();
  return result;
}

// Through a file, as every model of the lean half comes.
std::shared_ptr<const events::EventModel> lean_model() {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("cmanp-bench-{}.cmanp", ::getpid());
  export_events(path, untrained("cmhp"), "{}");
  auto model = events::EventModel::load(path);
  std::filesystem::remove(path);
  return model;
}

// A stream that goes on from measurement to measurement.
class Stream {
 public:
  Stream() : engine_(lean_model()), state_(engine_.begin()) {}

  void observe() {
    ++count_;
    time_ += 0.01 + std::abs(std::sin(static_cast<double>(count_)));
    engine_.observe(state_, time_, static_cast<std::uint32_t>(count_ % kMarks));
  }
  void observe_and_ask() {
    observe();
    engine_.forecast(state_);
  }
  std::uint64_t count() const { return count_; }
  std::size_t bytes() const { return state_.bytes(); }

 private:
  events::EventEngine engine_;
  events::SequenceState state_;
  std::uint64_t count_ = 0;
  double time_ = 0;
};

// A past of any length: what is in it costs nothing.
std::vector<Thp::Past> long_past(const Thp& thp, std::int64_t events) {
  const auto& shape = thp.shape();
  std::vector<Thp::Past> past(static_cast<std::size_t>(shape.num_layers));
  for (Thp::Past& layer : past) {
    const auto draw = [&] {
      return torch::randn({1, shape.nhead, events + events / 4 + 64, shape.d_model / shape.nhead});
    };
    layer = {{draw(), draw()}, events};
  }
  return past;
}

}  // namespace

void bench_events(double seconds, bool json) {
  const torch::NoGradGuard no_grad;
  training::use_threads(1);
  Stream stream;
  const auto network = untrained("thp").network;
  auto& thp = dynamic_cast<Thp&>(*network);
  const torch::Tensor token = torch::randn({1, 1, thp.shape().d_model});
  cli::Output output;
  if (!json) {
    output.text(fmt::format("{:>10} {:>16} {:>16} {:>16} {:>16}\n", "events", "cmhp, us/event", "cmhp, state B",
                            "thp, us/event", "thp, state B"));
  }
  for (const std::int64_t events : {10, 100, 1000, 10000, 100000}) {
    while (stream.count() < static_cast<std::uint64_t>(events)) stream.observe();
    const double cmhp = time_calls([&] { stream.observe_and_ask(); }, seconds);
    std::vector<Thp::Past> past = long_past(thp, events);
    const double thp_time = time_calls(
        [&] {
          thp.step(token, past);
          for (Thp::Past& layer : past) layer.count = events;  // every call is the event after so many
        },
        seconds);
    const auto thp_bytes = static_cast<std::size_t>(2 * 4 * thp.shape().num_layers * events * thp.shape().d_model);
    if (json) {
      cli::print_json({{"case", "events"},
                       {"events", events},
                       {"cmhp_microseconds", cmhp},
                       {"cmhp_state_bytes", stream.bytes()},
                       {"thp_microseconds", thp_time},
                       {"thp_state_bytes", thp_bytes},
                       {"threads", 1}});
      continue;
    }
    output.text(
        fmt::format("{:>10} {:>16.1f} {:>16} {:>16.1f} {:>16}\n", events, cmhp, stream.bytes(), thp_time, thp_bytes));
    output.flush();
  }
}

}  // namespace cmanp::cli_train
