#include "training/trainer/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmanp/error.hpp>
#include <fstream>
#include <iterator>
#include <system_error>

#include "files/atomic_file.hpp"

namespace cmanp::training {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr const char* kAside = "unfinished";
constexpr const char* kWeights = "weights.safetensors";
constexpr const char* kOptimiser = "optimiser.safetensors";
constexpr const char* kState = "state.json";

void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);  // some file systems cannot: they need not
  ::close(descriptor);
}

// The step in a checkpoint's name, or -1.
std::int64_t step_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(kPrefix)) return -1;
  std::int64_t step = -1;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kPrefix.size(), end, step);
  return error == std::errc() && rest == end ? step : -1;
}

void add_prefixed(NamedTensors& all, const std::string& prefix, const NamedTensors& tensors) {
  for (const auto& [name, tensor] : tensors) all[prefix + name] = tensor;
}

NamedTensors take_prefixed(const NamedTensors& all, const std::string& prefix) {
  NamedTensors tensors;
  for (const auto& [name, tensor] : all) {
    if (name.starts_with(prefix)) tensors[name.substr(prefix.size())] = tensor;
  }
  return tensors;
}

void write_parts(const fs::path& folder, const Checkpoint& checkpoint) {
  write_tensors(folder / kWeights, {{"settings", checkpoint.settings.dump()}}, checkpoint.weights);
  NamedTensors optimiser;
  add_prefixed(optimiser, "first_moment.", checkpoint.first_moment);
  add_prefixed(optimiser, "second_moment.", checkpoint.second_moment);
  add_prefixed(optimiser, "averaged.", checkpoint.averaged);
  write_tensors(folder / kOptimiser, {}, optimiser);
  const nlohmann::ordered_json state{
      {"step", checkpoint.step}, {"progress", checkpoint.progress}, {"settings", checkpoint.settings}};
  const std::string text = state.dump(2) + "\n";
  files::AtomicFile file(folder / kState);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

}  // namespace

void save_checkpoint(const fs::path& folder, const Checkpoint& checkpoint) {
  const fs::path aside = folder / kAside;
  const fs::path final_path = folder / fmt::format("{}{:08}", kPrefix, checkpoint.step);
  try {
    fs::remove_all(aside);
    fs::create_directories(aside);
    write_parts(aside, checkpoint);
    fs::remove_all(final_path);  // there only if this very step is saved twice, with the same content
    fs::rename(aside, final_path);
  } catch (const fs::filesystem_error& error) {
    throw Error(fmt::format("cannot write checkpoint {}: {}", final_path.string(), error.code().message()));
  } catch (const Error&) {
    std::error_code ignored;
    fs::remove_all(aside, ignored);
    throw;
  }
  sync_folder(folder);
  std::error_code ignored;  // what cannot be removed now is removed next time
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::int64_t step = step_of(entry.path());
    if (step >= 0 && step < checkpoint.step) fs::remove_all(entry.path(), ignored);
  }
}

std::optional<fs::path> latest_checkpoint(const fs::path& folder) {
  std::error_code ignored;
  std::optional<fs::path> latest;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (step_of(entry.path()) > (latest ? step_of(*latest) : -1)) latest = entry.path();
  }
  return latest;
}

Checkpoint load_checkpoint(const fs::path& path) {
  Checkpoint checkpoint;
  const fs::path state_path = path / kState;
  std::ifstream stream(state_path, std::ios::binary);
  if (!stream) throw Error(fmt::format("{}: {}", state_path.string(), std::generic_category().message(errno)));
  try {
    const auto state = nlohmann::ordered_json::parse(stream);
    checkpoint.step = state.at("step").get<std::int64_t>();
    checkpoint.progress = state.at("progress");
    checkpoint.settings = state.at("settings");
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("{}: {}", state_path.string(), error.what()));
  }
  if (checkpoint.step < 0) throw Error(fmt::format("{}: step is {}", state_path.string(), checkpoint.step));
  checkpoint.weights = read_tensors(files::Safetensors::open(path / kWeights));
  const NamedTensors optimiser = read_tensors(files::Safetensors::open(path / kOptimiser));
  checkpoint.first_moment = take_prefixed(optimiser, "first_moment.");
  checkpoint.second_moment = take_prefixed(optimiser, "second_moment.");
  checkpoint.averaged = take_prefixed(optimiser, "averaged.");
  return checkpoint;
}

}  // namespace cmanp::training
