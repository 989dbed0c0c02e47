#include <fmt/format.h>

#include <algorithm>
#include <cmanp/agent.hpp>
#include <cmanp/error.hpp>
#include <cmath>
#include <utility>

#include "bandit/policy.hpp"
#include "runtime/access.hpp"
#include "runtime/engine.hpp"

namespace cmanp {
namespace {

Model checked(Model model, std::size_t arms) {
  const Config& config = model.config();
  if (arms < 2) {
    throw Error(fmt::format("an agent chooses between 2 arms or more, not {}", arms), ErrorKind::argument);
  }
  if (config.dim_y != 1) {
    throw Error(fmt::format("an agent's model has one y, the reward; this one has {}", config.dim_y),
                ErrorKind::wrong_model);
  }
  if (config.dim_x <= arms) {
    throw Error(fmt::format("an agent's model has the context's features and {} arms as its x; this one's x has {}",
                            arms, config.dim_x),
                ErrorKind::wrong_model);
  }
  return model;
}

// A state that was saved by an agent knows its arms; `name` stands for where it comes from.
void check_arms(const Context& context, std::size_t arms, const std::string& name) {
  const std::size_t saved = runtime::Access::engine(context).arms();
  if (saved == 0 || saved == arms) return;
  throw Error(fmt::format("{}: the state of an agent of {} arms, not {}", name, saved, arms), ErrorKind::wrong_model);
}

void check_context(std::span<const double> context, std::size_t features) {
  if (context.size() != features) {
    throw Error(fmt::format("the context has {} features, the model takes {}", context.size(), features),
                ErrorKind::argument);
  }
}

}  // namespace

Agent::Agent(Context context, std::size_t arms, const AgentOptions& options)
    : context_(std::move(context)), arms_(arms), options_(options), mean_(arms), std_(arms), factor_(arms * arms) {
  if (!std::isfinite(options.exploration) || options.exploration < 0) {
    throw Error(fmt::format("exploration is {}; it is a number from 0 on", options.exploration), ErrorKind::argument);
  }
  questions_.resize(arms * context_.model().config().dim_x);
  runtime::Access::engine(context_).set_arms(arms);
}

Agent::Agent(Model model, std::size_t arms, const AgentOptions& options)
    : Agent(Context(checked(std::move(model), arms), {.threads = 1, .block = arms}), arms, options) {}

Agent Agent::load(Model model, std::size_t arms, const std::filesystem::path& path, const AgentOptions& options) {
  Context context = Context::load(checked(std::move(model), arms), path, {.threads = 1, .block = arms});
  check_arms(context, arms, path.string());
  return {std::move(context), arms, options};
}

Agent Agent::from_bytes(Model model, std::size_t arms, std::span<const std::byte> bytes, const AgentOptions& options) {
  Context context = Context::from_bytes(checked(std::move(model), arms), bytes, {.threads = 1, .block = arms});
  check_arms(context, arms, "state");
  return {std::move(context), arms, options};
}

void Agent::ask_for_all_arms(std::span<const double> context) {
  check_context(context, features());
  const std::size_t width = features() + arms_;
  std::fill(questions_.begin(), questions_.end(), 0);
  for (std::size_t arm = 0; arm < arms_; ++arm) {
    std::copy(context.begin(), context.end(), &questions_[arm * width]);
    questions_[arm * width + features() + arm] = 1;
  }
}

void Agent::predict(std::span<const double> context, std::span<double> mean, std::span<double> std) {
  ask_for_all_arms(context);
  context_.predict(questions_, mean, std);
}

// Draws are numbered by what has been learnt so far, so that a saved agent goes on as it would have.
std::size_t Agent::choose(std::span<const double> context) {
  base::NormalSource normals(options_.seed, rounds());
  const bool jointly = options_.policy == Policy::thompson && !context_.model().config().diagonal();
  if (!jointly) {
    predict(context, mean_, std_);
    return bandit::pick(options_, mean_, std_, normals);
  }
  ask_for_all_arms(context);
  context_.predict_joint(questions_, mean_, factor_);
  for (double& normal : std_) normal = normals.next();
  for (std::size_t arm = 0; arm < arms_; ++arm) {
    for (std::size_t i = 0; i <= arm; ++i) mean_[arm] += options_.exploration * factor_[arm * arms_ + i] * std_[i];
  }
  return bandit::largest(mean_);
}

void Agent::learn(std::span<const double> context, std::size_t arm, double reward) {
  if (arm >= arms_) {
    throw Error(fmt::format("there is no arm {}; there are 0 to {}", arm, arms_ - 1), ErrorKind::argument);
  }
  ask_for_all_arms(context);
  const std::size_t width = features() + arms_;
  context_.observe(std::span(questions_).subspan(arm * width, width), std::span(&reward, 1));
}

}  // namespace cmanp
