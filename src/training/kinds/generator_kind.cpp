#include <array>

#include "training/kinds/kinds.hpp"
#include "training/tasks/generator_task.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {
namespace {

struct GeneratorKeys {
  std::string socket, label = GeneratorSettings{}.label;
  std::int64_t inputs = 1, outputs = 1;
  double lowest_x = GeneratorSettings{}.range.low, highest_x = GeneratorSettings{}.range.high;
};

const KeyTable<GeneratorKeys>& generator_keys() {
  static const KeyTable<GeneratorKeys> table({
      {"socket",
       &GeneratorKeys::socket,
       "Of generator: the Unix socket where another process makes the batches, as "
       "Python's cmanp.train does",
       0,
       0,
       {},
       true},
      {"label", &GeneratorKeys::label, "Of generator: tells it from others, for evaluation sets that are kept"},
      {"inputs", &GeneratorKeys::inputs, "Of generator: numbers in an x", 1, 4096},
      {"outputs", &GeneratorKeys::outputs, "Of generator: numbers in a y", 1, 4096},
      {"lowest_x", &GeneratorKeys::lowest_x, "Of generator: where x lies", -1e15},
      {"highest_x", &GeneratorKeys::highest_x, "Of generator: where x lies", -1e15},
  });
  return table;
}

GeneratorSettings generator_settings(const Settings& s) {
  const GeneratorKeys own = generator_keys().read(s.of_task);
  return {own.socket, own.label, own.inputs, own.outputs, {own.lowest_x, own.highest_x}};
}

}  // namespace

TaskKind generator_kind() {
  return {.name = "generator",
          .summary = "what another process makes, such as a function in Python",
          .keys = own_keys(generator_keys()),
          .places = {"socket"},
          .make = [](const Settings& s) { return std::make_shared<GeneratorTask>(generator_settings(s)); },
          .dimensions =
              [](const Settings& s) {
                const GeneratorSettings own = generator_settings(s);
                return std::pair{own.inputs, own.outputs};
              },
          .check = [](const Settings& s) { GeneratorTask{generator_settings(s)}; },
          .model_sizes = [](const Settings& s) { return default_config(s.model, "gp"); },
          .evaluation = {.flags = {"socket"},
                         .inherited = {"label", "inputs", "outputs", "lowest_x", "highest_x"},
                         .each = "",
                         .usual = {},
                         .told = {"label"}},
          .knows =
              [](const Settings& s) {
                const GeneratorSettings own = generator_settings(s);
                return nlohmann::ordered_json{
                    {"x", std::vector<std::array<double, 2>>(static_cast<std::size_t>(own.inputs),
                                                             {own.range.low, own.range.high})},
                    {"prior", "generator " + own.label}};
              }};
}

}  // namespace cmanp::training
