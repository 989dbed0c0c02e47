// cmanp.Agent: choosing while learning.
#include <pybind11/stl.h>

#include <cmanp/agent.hpp>
#include <cmanp/error.hpp>

#include "arrays.hpp"
#include "counts.hpp"
#include "documentation.hpp"
#include "guarded.hpp"
#include "models.hpp"

namespace cmanp::python {
namespace {

struct AgentState : Guarded<Agent, Model> {
  AgentState(Agent agent, Shared<Model> of_model, std::string policy, const AgentOptions& chosen)
      : Guarded(std::move(agent), std::move(of_model)), policy_name(std::move(policy)), options(chosen) {}

  std::string policy_name;
  AgentOptions options;
};

AgentOptions options_of(const std::string& policy, double exploration, std::uint64_t seed) {
  AgentOptions options{.exploration = exploration, .seed = seed};
  if (policy == "ucb") {
    options.policy = Policy::ucb;
  } else if (policy == "greedy") {
    options.policy = Policy::greedy;
  } else if (policy == "thompson") {
    options.policy = Policy::thompson;
  } else {
    throw Error("policy is 'ucb', 'greedy' or 'thompson', not '" + policy + "'", ErrorKind::argument);
  }
  return options;
}

template <typename Make>
std::unique_ptr<AgentState> make_agent(py::handle model, const std::string& policy, double exploration,
                                       std::uint64_t seed, Make&& of) {
  Shared<Model> loaded = model_of<Model>(model);
  const AgentOptions options = options_of(policy, exploration, seed);
  return std::make_unique<AgentState>(of(loaded->model, options), loaded, policy, options);
}

// One context of so many features.
class Features {
 public:
  Features(AgentState& agent, const py::object& given) : points_(given, agent.content.features(), "context") {
    if (points_.count() != 1)
      throw Error("context has " + std::to_string(points_.count()) + " points; give one", ErrorKind::argument);
  }

  std::span<const double> numbers() const { return points_.numbers(); }

 private:
  Points points_;
};

}  // namespace

void bind_agents(py::module_& module) {
  const AgentOptions usual;
  py::class_<AgentState>(module, "Agent", doc::kAgent)
      .def(py::init([](const py::object& model, Count<"arms"> arms, const std::string& policy, double exploration,
                       Count<"seed"> seed) {
             return make_agent(model, policy, exploration, seed,
                               [&](const Model& of, const AgentOptions& options) { return Agent(of, arms, options); });
           }),
           py::arg("model"), py::arg("arms"), py::kw_only(), py::arg("policy") = "ucb",
           py::arg("exploration") = usual.exploration, py::arg("seed") = usual.seed, doc::kAgentInit)
      .def(
          "choose",
          [](AgentState& self, const py::object& context) {
            const Features features(self, context);
            return self.use([&](Agent& agent) { return agent.choose(features.numbers()); });
          },
          py::arg("context"), doc::kChoose)
      .def(
          "learn",
          [](AgentState& self, const py::object& context, Count<"arm"> arm, double reward) {
            const Features features(self, context);
            self.use([&](Agent& agent) { agent.learn(features.numbers(), arm, reward); });
          },
          py::arg("context"), py::arg("arm"), py::arg("reward"), doc::kLearn)
      .def(
          "predict",
          [](AgentState& self, const py::object& context) {
            const Features features(self, context);
            py::array_t<double> mean(static_cast<py::ssize_t>(self.content.arms())), std(mean.size());
            const std::span<double> means(mean.mutable_data(), self.content.arms()),
                stds(std.mutable_data(), means.size());
            self.use([&](Agent& agent) { agent.predict(features.numbers(), means, stds); });
            return py::make_tuple(mean, std);
          },
          py::arg("context"), doc::kAgentPredict)
      .def(
          "save",
          [](AgentState& self, const py::object& path) {
            const std::string file = path_of(path);
            self.use([&](Agent& agent) { agent.save(file); });
          },
          py::arg("path"), doc::kSave)
      .def_static(
          "load",
          [](const py::object& model, Count<"arms"> arms, const py::object& path, const std::string& policy,
             double exploration, Count<"seed"> seed) {
            return make_agent(model, policy, exploration, seed, [&](const Model& of, const AgentOptions& options) {
              return Agent::load(of, arms, path_of(path), options);
            });
          },
          py::arg("model"), py::arg("arms"), py::arg("path"), py::kw_only(), py::arg("policy") = "ucb",
          py::arg("exploration") = usual.exploration, py::arg("seed") = usual.seed, doc::kAgentLoad)
      .def(
          "to_bytes",
          [](AgentState& self) { return bytes_of(self.use([](Agent& agent) { return agent.to_bytes(); })); },
          doc::kToBytes)
      .def_static(
          "from_bytes",
          [](const py::object& model, Count<"arms"> arms, const py::object& state, const std::string& policy,
             double exploration, Count<"seed"> seed) {
            return make_agent(model, policy, exploration, seed, [&](const Model& of, const AgentOptions& options) {
              return Agent::from_bytes(of, arms, Bytes(state).bytes(), options);
            });
          },
          py::arg("model"), py::arg("arms"), py::arg("state"), py::kw_only(), py::arg("policy") = "ucb",
          py::arg("exploration") = usual.exploration, py::arg("seed") = usual.seed, doc::kAgentFromBytes)
      .def_property_readonly(
          "arms", [](const AgentState& self) { return self.content.arms(); }, "How many it chooses from.")
      .def_property_readonly(
          "features", [](const AgentState& self) { return self.content.features(); }, "Numbers in a context.")
      .def_property_readonly(
          "rounds", [](AgentState& self) { return self.use([](Agent& agent) { return agent.rounds(); }); },
          "Rounds learnt.")
      .def_property_readonly(
          "policy", [](const AgentState& self) { return self.policy_name; }, "How it chooses.")
      .def_property_readonly(
          "model", [](const AgentState& self) { return self.model; }, "The model; shared.")
      .def("__copy__",
           [](AgentState& self) {
             return std::make_unique<AgentState>(self.use([](Agent& agent) { return Agent(agent); }), self.model,
                                                 self.policy_name, self.options);
           })
      .def("__reduce__", [](AgentState& self) {
        return py::make_tuple(py::module_::import("cmanp._pickle").attr("agent"),
                              py::make_tuple(where_to_find(*self.model), self.content.arms(),
                                             bytes_of(self.use([](Agent& agent) { return agent.to_bytes(); })),
                                             self.policy_name, self.options.exploration, self.options.seed));
      });
  module.def("_unpickle_agent", [](const py::tuple& where, std::size_t arms, const py::bytes& state,
                                   const std::string& policy, double exploration, std::uint64_t seed) {
    return make_agent(py::cast(find_again<Model>(where)), policy, exploration, seed,
                      [&](const Model& of, const AgentOptions& options) {
                        return Agent::from_bytes(of, arms, Bytes(state).bytes(), options);
                      });
  });
}

}  // namespace cmanp::python
