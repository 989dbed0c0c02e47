// Agents of the C API.
#include <cmanp/agent.hpp>

#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"

using namespace cmanp::capi;

extern "C" {

cmanp_status cmanp_agent_create(const cmanp_model* model, size_t arms, cmanp_policy policy, double exploration,
                                uint64_t seed, cmanp_agent** agent) {
  const cmanp_agent_options options{sizeof(options), policy, exploration, seed};
  return cmanp_agent_create_with(model, arms, &options, agent);
}

cmanp_status cmanp_agent_create_with(const cmanp_model* model, size_t arms, const cmanp_agent_options* options,
                                     cmanp_agent** agent) {
  return make_handle(agent, "agent",
                     [&] { return cmanp::Agent(given(model, "model").model, arms, agent_options(options)); });
}

void cmanp_agent_free(cmanp_agent* agent) { delete agent; }

cmanp_status cmanp_agent_choose(cmanp_agent* agent, const double* context, size_t context_count, size_t* arm) {
  return guarded(
      [&] { given(arm, "arm") = given(agent, "agent").agent.choose(numbers(context, context_count, "context")); });
}

cmanp_status cmanp_agent_learn(cmanp_agent* agent, const double* context, size_t context_count, size_t arm,
                               double reward) {
  return guarded([&] { given(agent, "agent").agent.learn(numbers(context, context_count, "context"), arm, reward); });
}

cmanp_status cmanp_agent_predict(cmanp_agent* agent, const double* context, size_t context_count, double* mean,
                                 size_t mean_count, double* std, size_t std_count) {
  return guarded([&] {
    given(agent, "agent")
        .agent.predict(numbers(context, context_count, "context"), numbers(mean, mean_count, "mean"),
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
  const cmanp_agent_options options{sizeof(options), policy, exploration, seed};
  return cmanp_agent_load_with(model, arms, path, &options, agent);
}

cmanp_status cmanp_agent_load_with(const cmanp_model* model, size_t arms, const char* path,
                                   const cmanp_agent_options* options, cmanp_agent** agent) {
  return make_handle(agent, "agent", [&] {
    return cmanp::Agent::load(given(model, "model").model, arms, &given(path, "path"), agent_options(options));
  });
}

cmanp_status cmanp_agent_to_bytes(const cmanp_agent* agent, cmanp_bytes** bytes) {
  return make_handle(bytes, "bytes", [&] { return given(agent, "agent").agent.to_bytes(); });
}

cmanp_status cmanp_agent_from_bytes(const cmanp_model* model, size_t arms, const void* bytes, size_t count,
                                    const cmanp_agent_options* options, cmanp_agent** agent) {
  return make_handle(agent, "agent", [&] {
    return cmanp::Agent::from_bytes(given(model, "model").model, arms, byte_span(bytes, count), agent_options(options));
  });
}

}  // extern "C"
