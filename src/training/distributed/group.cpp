#include "training/distributed/group.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "training/distributed/local_address.hpp"
#include "training/distributed/meeting_point.hpp"

namespace cmanp::training {
namespace {

using c10d::ProcessGroupGloo;

constexpr std::int64_t kLongestText = std::int64_t{1} << 26;

std::shared_ptr<gloo::transport::Device> make_device(const World& world) {
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");  // as torch has it
  if (interface != nullptr) return ProcessGroupGloo::createDeviceForInterface(interface);
  const std::string address = address_towards(world.address);
  return address.empty() ? ProcessGroupGloo::createDefaultDevice() : ProcessGroupGloo::createDeviceForHostname(address);
}

c10::intrusive_ptr<ProcessGroupGloo> connect(const World& world, std::chrono::milliseconds patience) {
  const c10::intrusive_ptr<c10d::Store> store = meet(world, patience);
  try {
    const auto options = ProcessGroupGloo::Options::create(patience);
    options->devices.push_back(make_device(world));
    return c10::make_intrusive<ProcessGroupGloo>(store, world.rank, world.size, options);
  } catch (const std::exception& error) {
    throw Error(fmt::format("cannot connect all of {} processes within {} s ({})", world.size,
                            std::chrono::duration<double>(patience).count(), plain_reason(error)));
  }
}

// Runs an exchange to its end.
template <typename Start>
void exchange(const Start& start) {
  try {
    start()->wait();
  } catch (const std::exception& error) {
    throw GroupError(fmt::format("lost another process of the run ({})", plain_reason(error)));
  }
}

}  // namespace

struct Group::Connection {
  c10::intrusive_ptr<ProcessGroupGloo> processes;
};

Group::Group(const World& world, std::chrono::milliseconds patience) : world_(world) {
  if (world.size > 1) connection_ = std::make_shared<Connection>(Connection{connect(world, patience)});
}

void Group::add_up(std::vector<torch::Tensor> tensors) const {
  if (connection_) exchange([&] { return connection_->processes->allreduce_coalesced(tensors); });
}

bool Group::any(bool here) const {
  const torch::Tensor count = torch::full({1}, here ? 1.0F : 0.0F);
  add_up({count});
  return count.item<float>() > 0;
}

void Group::take_from_first(torch::Tensor tensor) const {
  std::vector<torch::Tensor> tensors{std::move(tensor)};
  if (connection_) exchange([&] { return connection_->processes->broadcast(tensors); });
}

std::string Group::take_from_first(const std::string& text) const {
  torch::Tensor length = torch::full({1}, static_cast<std::int64_t>(text.size()), torch::kInt64);
  take_from_first(length);
  const auto size = length.item<std::int64_t>();
  if (size < 0 || size > kLongestText) throw GroupError(fmt::format("rank 0 sent a text of {} bytes", size));
  std::string result = first() ? text : std::string(static_cast<std::size_t>(size), ' ');
  if (size > 0) take_from_first(torch::from_blob(result.data(), {size}, torch::kUInt8));
  return result;
}

void Group::part() const noexcept {
  try {
    any(false);
  } catch (const std::exception&) {  // gone already
  }
}

}  // namespace cmanp::training
