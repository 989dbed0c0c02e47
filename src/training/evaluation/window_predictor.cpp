#include "training/evaluation/window_predictor.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace cmanp::training {
namespace {

constexpr std::size_t kAtOnce = 32;

// The range of x that these windows have, in the model's units; at least the one that it was trained on.
void cover(ModelConfig& config, const Batch& batch) {
  if (config.coordinates != Coordinates::relative) return;
  for (const torch::Tensor& x : {batch.xc, batch.xt}) {
    config.range_low = std::min(config.range_low, x.min().item<double>());
    config.range_high = std::max(config.range_high, x.max().item<double>());
  }
}

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
      const ModelConfig before = model.config();
      cover(model.settings(), batch);
      const Prediction answer = model.predict_each(batch.xc, batch.yc, batch.xt);
      model.settings() = before;
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

}  // namespace cmanp::training
