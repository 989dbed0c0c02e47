#include "training/distributed/world.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmanp/error.hpp>
#include <cstdlib>
#include <string_view>

#include "files/quote.hpp"

namespace cmanp::training {
namespace {

constexpr int kMostProcesses = 65536;

// The variables of a process that others may be started beside.
class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}

  std::string_view text(const char* name) const {
    const char* value = environment_(name);
    return value == nullptr ? std::string_view() : value;
  }
  bool has(const char* name) const { return !text(name).empty(); }

  std::string_view needed(const char* name, const char* by) const {
    if (has(name)) return text(name);
    throw Error(
        fmt::format("environment: {} is set, {} is not; a process of several needs RANK, WORLD_SIZE, MASTER_ADDR and "
                    "MASTER_PORT",
                    by, name));
  }

  int number(const char* name, const char* by, int least, int most) const {
    const std::string_view value = needed(name, by);
    int result = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (error != std::errc() || end != value.data() + value.size() || result < least || result > most) {
      throw Error(fmt::format("environment: {} must be a whole number from {} to {}, not {}", name, least, most,
                              files::quote(std::string(value))));
    }
    return result;
  }

 private:
  const Environment& environment_;
};

}  // namespace

World read_world(const Environment& environment) {
  const Variables variables(environment);
  World world;
  if (!variables.has("RANK") && !variables.has("WORLD_SIZE")) return world;
  world.size = variables.number("WORLD_SIZE", "RANK", 1, kMostProcesses);
  world.rank = variables.number("RANK", "WORLD_SIZE", 0, kMostProcesses - 1);
  if (world.rank >= world.size) {
    throw Error(fmt::format("environment: RANK {} is not below WORLD_SIZE {}; ranks are counted from 0", world.rank,
                            world.size));
  }
  if (variables.has("LOCAL_WORLD_SIZE")) {
    world.on_this_machine = variables.number("LOCAL_WORLD_SIZE", "RANK", 1, world.size);
  }
  if (world.size == 1) return world;
  world.address = variables.needed("MASTER_ADDR", "RANK");
  world.port = static_cast<std::uint16_t>(variables.number("MASTER_PORT", "RANK", 1, 65535));
  world.kept_by_launcher = variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  if (world.kept_by_launcher) world.attempt = variables.text("TORCHELASTIC_RESTART_COUNT");
  return world;
}

World read_world() {
  return read_world([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace cmanp::training
