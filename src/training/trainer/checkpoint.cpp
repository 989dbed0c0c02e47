#include "training/trainer/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmanp/error.hpp>
#include <string>
#include <system_error>

#include "files/atomic_file.hpp"

namespace cmanp::training {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAside = "unfinished";
constexpr const char* kOptimiser = "optimiser.safetensors";

void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);  // some file systems cannot: they need not
  ::close(descriptor);
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
  write_tensors(folder / runs::kWeightsFile, {{"settings", checkpoint.settings.dump()}}, checkpoint.weights);
  NamedTensors optimiser;
  add_prefixed(optimiser, "first_moment.", checkpoint.first_moment);
  add_prefixed(optimiser, "second_moment.", checkpoint.second_moment);
  add_prefixed(optimiser, "averaged.", checkpoint.averaged);
  write_tensors(folder / kOptimiser, {}, optimiser);
  if (checkpoint.kept) save_kept(folder, *checkpoint.kept);
  const nlohmann::ordered_json state{
      {"step", checkpoint.step}, {"progress", checkpoint.progress}, {"settings", checkpoint.settings}};
  files::write_file(folder / runs::kStateFile, state.dump(2) + "\n");
}

std::optional<KeptWeights> load_kept(const fs::path& path) {
  if (!fs::exists(path)) return {};
  const files::Safetensors file = files::Safetensors::open(path);
  KeptWeights kept;
  try {
    kept.step = std::stoll(file.metadata().at("step"));
    kept.log_likelihood = std::stod(file.metadata().at("log_likelihood"));
  } catch (const std::exception&) {
    throw Error(fmt::format("{}: its metadata do not say of which step and log-likelihood it is", path.string()));
  }
  kept.weights = read_tensors(file);
  return kept;
}

}  // namespace

void save_kept(const fs::path& checkpoint, const KeptWeights& kept) {
  write_tensors(checkpoint / runs::kBestFile,
                {{"step", std::to_string(kept.step)}, {"log_likelihood", fmt::format("{}", kept.log_likelihood)}},
                kept.weights);
}

void save_checkpoint(const fs::path& folder, const Checkpoint& checkpoint) {
  const fs::path aside = folder / kAside;
  const fs::path final_path = folder / runs::checkpoint_name(checkpoint.step);
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
    const std::int64_t step = runs::step_of(entry.path());
    if (step >= 0 && step < checkpoint.step) fs::remove_all(entry.path(), ignored);
  }
}

Checkpoint load_checkpoint(const fs::path& path) {
  Checkpoint checkpoint{runs::read_state(path), {}, {}, {}, {}};
  checkpoint.weights = read_tensors(files::Safetensors::open(path / runs::kWeightsFile));
  const NamedTensors optimiser = read_tensors(files::Safetensors::open(path / kOptimiser));
  checkpoint.first_moment = take_prefixed(optimiser, "first_moment.");
  checkpoint.second_moment = take_prefixed(optimiser, "second_moment.");
  checkpoint.averaged = take_prefixed(optimiser, "averaged.");
  checkpoint.kept = load_kept(path / runs::kBestFile);
  return checkpoint;
}

}  // namespace cmanp::training
