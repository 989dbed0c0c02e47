#include "training/evaluation/predictor.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/running_mean.hpp"
#include "runtime/check_points.hpp"
#include "training/tasks/random.hpp"

namespace cmanp::training {
namespace {

// Targets that go through a model at once where each is by itself: some models' attention grows with their square.
constexpr std::size_t kTargets = 512;

// [n][dim] raw to [1, n, dim] as the network sees it.
torch::Tensor normalised(std::span<const double> values, const std::vector<double>& shift,
                         const std::vector<double>& scale) {
  const auto dim = static_cast<std::int64_t>(shift.size());
  torch::Tensor result = torch::empty({1, static_cast<std::int64_t>(values.size()) / dim, dim}, torch::kFloat64);
  double* to = result.data_ptr<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    to[i] = (values[i] - shift[i % shift.size()]) / scale[i % scale.size()];
  }
  return result;
}

bool is_relative(const Predictor& predictor) { return predictor.model().config().coordinates == Coordinates::relative; }

// As long as it lives, the grid of a model in relative coordinates covers the context and these targets: the range that
// it was trained on, where that has all of them.
class CoveringRange {
 public:
  CoveringRange(const Predictor& predictor, const torch::Tensor& xt)
      : settings_(predictor.model().settings()), low_(settings_.range_low), high_(settings_.range_high) {
    if (!is_relative(predictor)) return;
    const torch::Tensor all = torch::cat({predictor.context_x(), xt}, 1);
    if (all.numel() == 0) return;
    const double low = all.min().item<double>(), high = all.max().item<double>();
    if (low >= low_ && high <= high_) return;
    settings_.range_low = low;
    settings_.range_high = std::max(high, low + settings_.spacing);
    validate(predictor.model().model_name(), settings_);  // so many latents are refused before they are made
  }
  CoveringRange(const CoveringRange&) = delete;
  CoveringRange& operator=(const CoveringRange&) = delete;
  ~CoveringRange() {
    settings_.range_low = low_;
    settings_.range_high = high_;
  }

 private:
  ModelConfig& settings_;
  double low_, high_;
};

torch::Tensor normalised_x(const Predictor& predictor, std::span<const double> x) {
  const torch::Tensor all = normalised(x, predictor.normalisation().x_shift, predictor.normalisation().x_scale);
  return is_relative(predictor) ? all : all.to(torch::kFloat32);  // the former take an origin off first
}

torch::Tensor normalised_y(const Predictor& predictor, std::span<const double> y) {
  return normalised(y, predictor.normalisation().y_shift, predictor.normalisation().y_scale).to(torch::kFloat32);
}

// Back to raw units: value * scale + shift.
void write_raw(const torch::Tensor& values, const std::vector<double>* shift, const std::vector<double>& scale,
               std::span<double> out) {
  const torch::Tensor flat = values.contiguous();
  const float* from = flat.data_ptr<float>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t channel = i % scale.size();
    out[i] = static_cast<double>(from[i]) * scale[channel] + (shift == nullptr ? 0 : (*shift)[channel]);
  }
}

torch::Generator generator(std::uint64_t seed, std::uint64_t draw) {
  return at::detail::createCPUGenerator(mix_seed(seed, Stream::model, draw));
}

// As long as it lives, CMANP-AND takes what it is given as one block: the blocks are made here.
class OneBlock {
 public:
  explicit OneBlock(NeuralProcess& model) : model_(model), before_(model.config().AND_block_size) {
    model_.settings().AND_block_size = 0;
  }
  OneBlock(const OneBlock&) = delete;
  OneBlock& operator=(const OneBlock&) = delete;
  ~OneBlock() { model_.settings().AND_block_size = before_; }

 private:
  NeuralProcess& model_;
  std::int64_t before_;
};

// Calls what(begin, count) for stretches of `block`.
template <class What>
void in_blocks(std::int64_t total, std::int64_t block, const What& what) {
  for (std::int64_t begin = 0; begin < total; begin += block) what(begin, std::min(block, total - begin));
}

}  // namespace

Predictor::Predictor(LoadedModel model) : loaded_(std::move(model)), config_(shape_of(loaded_.model->config())) {
  loaded_.model->eval();
}

void Predictor::observe(std::span<const double> x, std::span<const double> y) {
  runtime::count_points(normalisation(), x, y);
  x_.insert(x_.end(), x.begin(), x.end());
  y_.insert(y_.end(), y.begin(), y.end());
}

void Predictor::reset() {
  x_.clear();
  y_.clear();
}

torch::Tensor Predictor::context_x() const { return normalised_x(*this, x_); }
torch::Tensor Predictor::context_y() const { return normalised_y(*this, y_); }

void Predictor::predict(std::span<const double> x, std::span<double> mean, std::span<double> std) const {
  const torch::NoGradGuard no_grad;
  const torch::Tensor xc = context_x(), yc = context_y(), xt = normalised_x(*this, x);
  const Normalisation& units = normalisation();
  const CoveringRange range(*this, xt);
  in_blocks(xt.size(1), kTargets, [&](std::int64_t begin, std::int64_t count) {
    model().use(generator(0, 0));
    const Prediction answer = model().predict_each(xc, yc, xt.narrow(1, begin, count));
    const auto part = [&](std::span<double> all) {
      return all.subspan(static_cast<std::size_t>(begin) * config_.dim_y,
                         static_cast<std::size_t>(count) * config_.dim_y);
    };
    write_raw(answer.mean, &units.y_shift, units.y_scale, part(mean));
    write_raw(answer.std, nullptr, units.y_scale, part(std));
  });
}

void sample(const Predictor& predictor, std::span<const double> x, std::span<double> out, const SampleOptions& options,
            const std::function<void(std::size_t)>& progress) {
  const torch::NoGradGuard no_grad;
  const OneBlock one_block(predictor.model());
  const Normalisation& units = predictor.normalisation();
  const torch::Tensor xt = normalised_x(predictor, x);
  const CoveringRange range(predictor, xt);
  const std::size_t draw_size = out.size() / std::max<std::size_t>(1, options.draws);
  const std::size_t jointly = options.block > 0 ? options.block : ContextOptions{}.block;
  for (std::size_t draw = 0; draw < options.draws; ++draw) {
    const torch::Generator own = generator(options.seed, draw);
    torch::Tensor xc = predictor.context_x(), yc = predictor.context_y();
    std::vector<torch::Tensor> drawn, waiting;
    std::int64_t fed_back = 0;  // targets
    in_blocks(xt.size(1), static_cast<std::int64_t>(jointly), [&](std::int64_t begin, std::int64_t count) {
      drawn.push_back(predictor.model().samples(xc, yc, xt.narrow(1, begin, count), 1, own).squeeze(0));
      waiting.push_back(drawn.back());
      const std::int64_t targets = begin + count - fed_back;
      if (static_cast<double>(targets) < options.growth * static_cast<double>(xc.size(1))) return;
      xc = torch::cat({xc, xt.narrow(1, fed_back, targets)}, 1);
      yc = torch::cat({yc, torch::cat(waiting, 1)}, 1);
      waiting.clear();
      fed_back += targets;
    });
    if (!drawn.empty()) {
      write_raw(torch::cat(drawn, 1), &units.y_shift, units.y_scale, out.subspan(draw * draw_size, draw_size));
    }
    if (progress) progress(draw + 1);
  }
}

Score score(const Predictor& predictor, std::span<const double> x, std::span<const double> y, std::size_t block,
            const std::function<void(std::size_t)>& progress) {
  const torch::NoGradGuard no_grad;
  NeuralProcess& model = predictor.model();
  torch::Tensor xc = predictor.context_x(), yc = predictor.context_y();
  const torch::Tensor xt = normalised_x(predictor, x), yt = normalised_y(predictor, y);
  const CoveringRange range(predictor, xt);
  const bool chain_rule = block > 0;
  std::optional<OneBlock> one_block;
  if (chain_rule) one_block.emplace(model);
  if (block == 0) block = model.scores_jointly() ? static_cast<std::size_t>(xt.size(1)) : kTargets;
  double total = 0;
  base::RunningMean parts;  // a mean a point each
  in_blocks(xt.size(1), static_cast<std::int64_t>(block), [&](std::int64_t begin, std::int64_t count) {
    const torch::Tensor x_block = xt.narrow(1, begin, count), y_block = yt.narrow(1, begin, count);
    model.use(generator(0, 0));
    const double part = model.log_likelihood({xc, yc, x_block, y_block}).item<double>();
    total += part * static_cast<double>(count);
    parts.add(part);
    if (chain_rule) {
      xc = torch::cat({xc, x_block}, 1);
      yc = torch::cat({yc, y_block}, 1);
    }
    if (progress) progress(static_cast<std::size_t>(begin + count));
  });
  Score result;
  result.points = static_cast<std::size_t>(xt.size(1));
  result.log_likelihood = total / static_cast<double>(result.points);
  result.standard_error = parts.standard_error();
  for (const double scale : predictor.normalisation().y_scale) result.log_likelihood -= std::log(scale);
  return result;
}

}  // namespace cmanp::training
