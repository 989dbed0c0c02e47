#include "training/tasks/generator_task.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmanp/error.hpp>
#include <cstring>
#include <utility>

namespace cmanp::training {

class GeneratorTask::Connection {
 public:
  explicit Connection(const std::string& path)
      : path_(path), descriptor_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof(address.sun_path)) {
      throw Error(fmt::format("the generator's socket '{}': its name has to have 1 to {} letters", path,
                              sizeof(address.sun_path) - 1));
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    if (descriptor_ < 0 || ::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      const int reason = errno;
      if (descriptor_ >= 0) ::close(descriptor_);
      throw Error(fmt::format("cannot ask the generator at {}: {}", path, std::strerror(reason)), ErrorKind::system);
    }
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ::close(descriptor_); }

  void send(const void* bytes, std::size_t size) {
    move(static_cast<char*>(const_cast<void*>(bytes)), size,
         [this](char* at, std::size_t left) { return ::send(descriptor_, at, left, MSG_NOSIGNAL); });
  }

  void receive(void* bytes, std::size_t size) {
    move(static_cast<char*>(bytes), size,
         [this](char* at, std::size_t left) { return ::recv(descriptor_, at, left, 0); });
  }

 private:
  template <class Some>
  void move(char* at, std::size_t left, Some&& some) {
    while (left > 0) {
      const ssize_t count = some(at, left);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw Error(fmt::format("the generator at {} has ended", path_), ErrorKind::system);
      at += count;
      left -= static_cast<std::size_t>(count);
    }
  }

  std::string path_;
  int descriptor_;
};

GeneratorTask::GeneratorTask(GeneratorSettings settings) : settings_(std::move(settings)) {
  if (!(settings_.range.low < settings_.range.high)) throw Error("lowest_x must be below highest_x");
}

GeneratorTask::~GeneratorTask() = default;

std::string GeneratorTask::name() const {
  return fmt::format("generator-{}-{}x{}", settings_.label, settings_.inputs, settings_.outputs);
}

Batch GeneratorTask::next(Random& random) const {
  constexpr std::uint32_t kMost = 1 << 20;  // of each number
  constexpr double kMostNumbers = 1 << 28;
  const std::uint64_t seed = random.bits();
  const std::lock_guard lock(mutex_);
  if (!connection_) connection_ = std::make_unique<Connection>(settings_.socket);
  connection_->send(&seed, sizeof(seed));
  std::array<std::uint32_t, 4> head{};
  connection_->receive(head.data(), sizeof(head));
  const auto [tasks, context, targets, message] = head;
  if (message > 0) {
    std::string text(std::min(message, kMost), ' ');
    connection_->receive(text.data(), text.size());
    throw Error(fmt::format("the generator failed: {}", text));
  }
  const double numbers = static_cast<double>(tasks) * (static_cast<double>(context) + targets) *
                         static_cast<double>(settings_.inputs + settings_.outputs);
  if (tasks == 0 || context == 0 || targets == 0 || std::max({tasks, context, targets}) > kMost ||
      numbers > kMostNumbers) {
    throw Error(
        fmt::format("the generator gave {} tasks of {} context and {} target points; each has to be from 1 on, "
                    "and all together up to {} numbers",
                    tasks, context, targets, kMostNumbers));
  }
  const auto receive = [&](std::int64_t points, std::int64_t width) {
    torch::Tensor tensor = torch::empty({tasks, points, width}, torch::kFloat32);
    connection_->receive(tensor.data_ptr(), static_cast<std::size_t>(tensor.nbytes()));
    if (!tensor.isfinite().all().item<bool>()) throw Error("the generator gave numbers that are not finite");
    return tensor;
  };
  Batch batch;
  batch.xc = receive(context, settings_.inputs);
  batch.yc = receive(context, settings_.outputs);
  batch.xt = receive(targets, settings_.inputs);
  batch.yt = receive(targets, settings_.outputs);
  return batch;
}

}  // namespace cmanp::training
