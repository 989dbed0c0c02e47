// Agents of the C API.
#include <cmanp/agent.hpp>

#include "capi/guard.hpp"
#include "capi/handles.hpp"

using namespace cmanp::capi;

namespace {

cmanp::AgentOptions options_of(cmanp_policy policy, double exploration, uint64_t seed) {
  switch (policy) {
    case CMANP_UCB:
      return {cmanp::Policy::ucb, exploration, seed};
    case CMANP_GREEDY:
      return {cmanp::Policy::greedy, exploration, seed};
    case CMANP_THOMPSON:
      return {cmanp::Policy::thompson, exploration, seed};
  }
  throw BadArgument("policy is none of the three");
}

}  // namespace

extern "C" {

cmanp_status cmanp_agent_create(const cmanp_model* model, size_t arms, cmanp_policy policy, double exploration,
                                uint64_t seed, cmanp_agent** agent) {
  return guarded([&] {
    given(agent, "agent") = nullptr;
    *agent = new cmanp_agent{cmanp::Agent(given(model, "model").model, arms, options_of(policy, exploration, seed))};
  });
}

void cmanp_agent_free(cmanp_agent* agent) { delete agent; }

cmanp_status cmanp_agent_choose(cmanp_agent* agent, const double* context, size_t context_count, size_t* arm) {
  return guarded([&] {
    expect_count(context_count, given(agent, "agent").agent.features(), "context");
    given(arm, "arm") = agent->agent.choose(numbers(context, context_count, "context"));
  });
}

cmanp_status cmanp_agent_learn(cmanp_agent* agent, const double* context, size_t context_count, size_t arm,
                               double reward) {
  return guarded([&] {
    expect_count(context_count, given(agent, "agent").agent.features(), "context");
    if (arm >= agent->agent.arms()) throw BadArgument(fmt::format("there is no arm {}", arm));
    agent->agent.learn(numbers(context, context_count, "context"), arm, reward);
  });
}

cmanp_status cmanp_agent_predict(cmanp_agent* agent, const double* context, size_t context_count, double* mean,
                                 size_t mean_count, double* std, size_t std_count) {
  return guarded([&] {
    expect_count(context_count, given(agent, "agent").agent.features(), "context");
    expect_count(mean_count, agent->agent.arms(), "mean");
    expect_count(std_count, agent->agent.arms(), "std");
    agent->agent.predict(numbers(context, context_count, "context"), numbers(mean, mean_count, "mean"),
                         numbers(std, std_count, "std"));
  });
}

cmanp_status cmanp_agent_rounds(const cmanp_agent* agent, uint64_t* rounds) {
  return guarded([&] { given(rounds, "rounds") = given(agent, "agent").agent.rounds(); });
}

cmanp_status cmanp_agent_save(const cmanp_agent* agent, const char* path) {
  return guarded([&] { given(agent, "agent").agent.save(&given(path, "path")); });
}

cmanp_status cmanp_agent_load(const cmanp_model* model, size_t arms, const char* path, cmanp_policy policy,
                              double exploration, uint64_t seed, cmanp_agent** agent) {
  return guarded([&] {
    given(agent, "agent") = nullptr;
    *agent = new cmanp_agent{cmanp::Agent::load(given(model, "model").model, arms, &given(path, "path"),
                                                options_of(policy, exploration, seed))};
  });
}

}  // extern "C"
