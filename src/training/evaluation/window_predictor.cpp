#include "training/evaluation/window_predictor.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace cmanp::training {
namespace {

constexpr std::size_t kAtOnce = 32;
constexpr std::size_t kDrawsAtOnce = 64;

// The range of x that these windows have, in the model's units; at least the one that it was trained on.
void cover(ModelConfig& config, const Batch& batch) {
  if (config.coordinates != Coordinates::relative) return;
  for (const torch::Tensor& all : {batch.xc, batch.xt}) {
    const torch::Tensor x = all.narrow(-1, 0, config.axes());
    config.range_low = std::min(config.range_low, x.min().item<double>());
    config.range_high = std::max(config.range_high, x.max().item<double>());
  }
}

// Over the range that a batch needs, for as long as this lives.
class Covering {
 public:
  Covering(NeuralProcess& model, const Batch& batch) : model_(model), before_(model.config()) {
    cover(model.settings(), batch);
  }
  Covering(const Covering&) = delete;
  Covering& operator=(const Covering&) = delete;
  ~Covering() { model_.settings() = before_; }

 private:
  NeuralProcess& model_;
  ModelConfig before_;
};

// Tasks, and which of the windows that were asked about each of theirs is; kNotAsked where it was not.
struct AskedTask {
  WindowTask task;
  std::vector<std::size_t> answers;  // by window of the task
};

constexpr std::size_t kNotAsked = std::numeric_limits<std::size_t>::max();

std::vector<AskedTask> asked_by(const std::vector<data::Window>& windows, const TableUnits& units) {
  std::vector<AskedTask> all;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const bool same = i > 0 && windows[i].task && windows[i].task == windows[i - 1].task;
    if (!same) {
      WindowTask task(windows[i], units);
      const std::size_t count = task.windows.size();
      all.push_back({std::move(task), std::vector(count, kNotAsked)});
    }
    AskedTask& own = all.back();
    for (std::size_t w = 0; w < own.answers.size(); ++w) {
      if (own.task.windows[w].series == windows[i].series) own.answers[w] = i;
    }
  }
  return all;
}

// The numbers of a row of a batch, in the order of its task's targets, each in its window's units.
template <class Take>  // (window that was asked about, scale, place in the row)
void for_each_target(const AskedTask& asked, const Take& take) {
  std::size_t place = 0;
  for (std::size_t w = 0; w < asked.answers.size(); ++w) {
    for (std::size_t i = 0; i < asked.task.windows[w].targets.size(); ++i, ++place) {
      if (asked.answers[w] != kNotAsked) take(asked.answers[w], asked.task.scales[w], place);
    }
  }
}

}  // namespace

std::vector<forecasts::Forecast> predict_windows(NeuralProcess& model, const std::vector<data::Window>& windows,
                                                 const TableUnits& units,
                                                 const std::function<void(std::size_t)>& progress) {
  const torch::NoGradGuard no_grad;
  model.eval();
  const std::vector<AskedTask> asked = asked_by(windows, units);
  // By size: tasks of one batch have as many points.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<const AskedTask*>> by_size;
  for (const AskedTask& one : asked) by_size[{one.task.context_points(), one.task.targets()}].push_back(&one);
  std::vector<forecasts::Forecast> answers(windows.size());
  std::size_t done = 0;
  for (const auto& [size, members] : by_size) {
    for (std::size_t begin = 0; begin < members.size(); begin += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, members.size() - begin);
      std::vector<WindowTask> some;
      for (std::size_t i = 0; i < count; ++i) some.push_back(members[begin + i]->task);
      const Batch batch = batch_of(some, units);
      const Covering covering(model, batch);
      const Prediction answer = model.predict_each(batch.xc, batch.yc, batch.xt);
      const torch::Tensor mean = answer.mean.contiguous(), std = answer.std.contiguous();
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = i * size.second;
        for_each_target(*members[begin + i], [&](std::size_t window, const base::Scale& scale, std::size_t place) {
          answers[window].mean.push_back(scale.back(static_cast<double>(mean.data_ptr<float>()[row + place])));
          answers[window].std.push_back(scale.scale * static_cast<double>(std.data_ptr<float>()[row + place]));
        });
        for (const std::size_t window : members[begin + i]->answers) done += window == kNotAsked ? 0 : 1;
      }
      if (progress) progress(done);
    }
  }
  return answers;
}

std::vector<forecasts::Paths> draw_windows(NeuralProcess& model, const std::vector<data::Window>& windows,
                                           const TableUnits& units, std::size_t count, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  model.eval();
  std::vector<forecasts::Paths> all(windows.size());
  const std::vector<AskedTask> tasks = asked_by(windows, units);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const Batch batch = batch_of({&tasks[t].task, 1}, units);
    const Covering covering(model, batch);
    const torch::Generator generator = at::detail::createCPUGenerator(seed + t);
    for (std::size_t done = 0; done < count; done += kDrawsAtOnce) {
      const auto some = static_cast<std::int64_t>(std::min(kDrawsAtOnce, count - done));
      const torch::Tensor draws = model.samples(batch.xc, batch.yc, batch.xt, some, generator).contiguous();
      for (std::int64_t draw = 0; draw < some; ++draw) {
        const float* values = draws.data_ptr<float>() + draw * batch.xt.size(1);
        for_each_target(tasks[t], [&](std::size_t window, const base::Scale& scale, std::size_t place) {
          all[window].push_back(scale.back(static_cast<double>(values[place])));
        });
      }
    }
  }
  return all;
}

}  // namespace cmanp::training
