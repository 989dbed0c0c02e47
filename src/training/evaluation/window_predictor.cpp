#include "training/evaluation/window_predictor.hpp"

#include <algorithm>
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

}  // namespace

std::vector<forecasts::Forecast> predict_windows(NeuralProcess& model, const std::vector<data::Window>& windows,
                                                 const TableUnits& units,
                                                 const std::function<void(std::size_t)>& progress) {
  const torch::NoGradGuard no_grad;
  model.eval();
  // By size: windows of one batch have as many points.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> by_size;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    by_size[{windows[i].context.size(), windows[i].targets.size()}].push_back(i);
  }
  std::vector<forecasts::Forecast> answers(windows.size());
  std::size_t done = 0;
  for (const auto& [size, members] : by_size) {
    for (std::size_t begin = 0; begin < members.size(); begin += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, members.size() - begin);
      std::vector<data::Window> some;
      for (std::size_t i = 0; i < count; ++i) some.push_back(windows[members[begin + i]]);
      const Batch batch = batch_of(some, units);
      const Covering covering(model, batch);
      const Prediction answer = model.predict_each(batch.xc, batch.yc, batch.xt);
      const torch::Tensor mean = answer.mean.contiguous(), std = answer.std.contiguous();
      for (std::size_t i = 0; i < count; ++i) {
        const base::Scale scale = units.y_scale(some[i]);
        forecasts::Forecast& own = answers[members[begin + i]];
        for (std::size_t t = 0; t < size.second; ++t) {
          const std::size_t at = i * size.second + t;
          own.mean.push_back(scale.back(static_cast<double>(mean.data_ptr<float>()[at])));
          own.std.push_back(scale.scale * static_cast<double>(std.data_ptr<float>()[at]));
        }
      }
      done += count;
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
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const Batch batch = batch_of({&windows[w], 1}, units);
    const Covering covering(model, batch);
    const base::Scale scale = units.y_scale(windows[w]);
    const torch::Generator generator = at::detail::createCPUGenerator(seed + w);
    for (std::size_t done = 0; done < count; done += kDrawsAtOnce) {
      const auto some = static_cast<std::int64_t>(std::min(kDrawsAtOnce, count - done));
      const torch::Tensor draws = model.samples(batch.xc, batch.yc, batch.xt, some, generator).contiguous();
      const float* values = draws.data_ptr<float>();
      for (std::int64_t i = 0; i < draws.numel(); ++i) all[w].push_back(scale.back(static_cast<double>(values[i])));
    }
  }
  return all;
}

}  // namespace cmanp::training
