#include "training/bandit/family_games.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <chrono>

#include "bandit/policy.hpp"
#include "training/modules/growing_context.hpp"

namespace cmanp::training {
namespace {

using bandit::Game;
using bandit::Rewards;
using bandit::Wheel;

constexpr auto kArms = static_cast<std::int64_t>(Wheel::kArms), kFeatures = static_cast<std::int64_t>(Wheel::kFeatures);

// What all games have seen so far, as the network sees it, and what they ask.
class Histories {
 public:
  Histories(const LoadedModel& model, std::int64_t games, std::int64_t rounds)
      : model_(model),
        rewards_(bandit::rewards_of(shape_of(model.model->config()), model.model->model_name())),
        x_(torch::zeros({games, rounds, model.model->config().dim_x})),
        y_(torch::zeros({games, rounds, model.model->config().dim_y})),
        asked_(torch::zeros({games, rewards_ == Rewards::chosen ? kArms : 1, model.model->config().dim_x})) {}

  void ask(std::int64_t game, std::span<const double> context) {
    for (std::int64_t question = 0; question < asked_.size(1); ++question)
      put_x(asked_[game][question], context, question);
  }

  // [games][kArms] each, in raw units.
  std::pair<torch::Tensor, torch::Tensor> answers() const {
    const Prediction prediction =
        model_.model->predict_each(x_.narrow(1, 0, rounds_), y_.narrow(1, 0, rounds_), asked_);
    const double shift = model_.normalisation.y_shift.front(), scale = model_.normalisation.y_scale.front();
    const auto raw = [&](const torch::Tensor& t) { return t.reshape({-1, kArms}).to(torch::kFloat64).contiguous(); };
    return {raw(prediction.mean * scale + shift), raw(prediction.std * scale)};
  }

  void learn(std::int64_t game, std::span<const double> context, std::size_t arm, double reward,
             base::NormalSource& normals) {
    put_x(x_[game][rounds_], context, static_cast<std::int64_t>(arm));
    std::vector<double> seen(static_cast<std::size_t>(y_.size(2)), bandit::learnt_reward(reward));
    if (rewards_ == Rewards::all) bandit::fill_unplayed(seen, arm, reward, normals);
    float* to = y_[game][rounds_].data_ptr<float>();
    for (std::size_t i = 0; i < seen.size(); ++i) {
      to[i] = static_cast<float>((seen[i] - model_.normalisation.y_shift[i]) / model_.normalisation.y_scale[i]);
    }
  }

  void next_round() { ++rounds_; }

 private:
  void put_x(const torch::Tensor& point, std::span<const double> context, std::int64_t arm) const {
    float* to = point.data_ptr<float>();
    std::copy(context.begin(), context.end(), to);
    if (rewards_ == Rewards::chosen) to[kFeatures + arm] = 1;
  }

  const LoadedModel& model_;
  Rewards rewards_;
  torch::Tensor x_, y_, asked_;
  std::int64_t rounds_ = 0;
};

}  // namespace

std::vector<Game> play_together(const LoadedModel& model, const std::vector<Wheel>& wheels,
                                const std::vector<std::uint32_t>& seeds, const AgentOptions& options) {
  using Clock = std::chrono::steady_clock;
  const torch::NoGradGuard no_grad;
  model.model->eval();
  keep_points(*model.model, true);
  model.model->settings().eval_num_samples = 1;
  model.model->use(at::detail::createCPUGenerator(seeds.front()));
  const std::size_t rounds = wheels.front().rounds();
  Histories histories(model, static_cast<std::int64_t>(wheels.size()), static_cast<std::int64_t>(rounds));
  std::vector<Game> games(wheels.size());
  std::vector<base::NormalSource> normals;
  for (const std::uint32_t seed : seeds) normals.emplace_back(seed, 1);

  for (std::size_t round = 0; round < rounds; ++round) {
    const Clock::time_point start = Clock::now();
    for (std::size_t g = 0; g < games.size(); ++g) {
      histories.ask(static_cast<std::int64_t>(g), wheels[g].context(round));
    }
    std::pair<torch::Tensor, torch::Tensor> answers;
    if (round > 0) answers = histories.answers();
    for (std::size_t g = 0; g < games.size(); ++g) {
      const auto of = [&](const torch::Tensor& all) {
        return std::span<const double>(all.data_ptr<double>() + g * Wheel::kArms, Wheel::kArms);
      };
      const std::size_t arm = round == 0 ? static_cast<std::size_t>(normals[g].uniform() * Wheel::kArms)
                                         : bandit::pick(options, of(answers.first), of(answers.second), normals[g]);
      const Wheel& wheel = wheels[g];
      histories.learn(static_cast<std::int64_t>(g), wheel.context(round), arm, wheel.reward(round, arm), normals[g]);
      games[g].regret.push_back(wheel.regret(round, arm));
    }
    histories.next_round();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    for (Game& game : games) game.seconds.push_back(seconds / static_cast<double>(games.size()));
  }
  return games;
}

void play_family(const bandit::Tournament& tournament, const LoadedModel& model, const AgentOptions& options,
                 std::size_t together, bandit::ResultsFile& results, const bandit::Finished& finished) {
  const std::vector<bandit::Job> jobs = bandit::missing_games(tournament, results);
  for (std::size_t first = 0; first < jobs.size(); first += together) {
    std::vector<Wheel> wheels;
    std::vector<std::uint32_t> seeds;
    const std::size_t end = std::min(jobs.size(), first + together);
    for (std::size_t i = first; i < end; ++i) {
      wheels.push_back(bandit::published_wheel(tournament.rounds, jobs[i].delta, jobs[i].seed));
      seeds.push_back(jobs[i].seed);
    }
    const std::vector<Game> games = play_together(model, wheels, seeds, options);
    for (std::size_t i = 0; i < games.size(); ++i) {
      results.append(summarise(tournament.method, jobs[first + i].delta, seeds[i], games[i]));
    }
    finished(end);
  }
}

}  // namespace cmanp::training
