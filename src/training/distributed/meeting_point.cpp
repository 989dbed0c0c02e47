#include "training/distributed/meeting_point.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

namespace cmanp::training {
namespace {

// c10d also logs what it throws: once is enough.
class QuietLog {
 public:
#ifdef C10_USE_GLOG
  QuietLog() : before_(FLAGS_minloglevel) { FLAGS_minloglevel = google::GLOG_FATAL; }
  ~QuietLog() { FLAGS_minloglevel = before_; }
#else
  QuietLog() = default;
#endif
  QuietLog(const QuietLog&) = delete;
  QuietLog& operator=(const QuietLog&) = delete;

 private:
  [[maybe_unused]] std::int32_t before_ = 0;
};

}  // namespace

c10::intrusive_ptr<c10d::Store> meet(const World& world, std::chrono::milliseconds patience) {
  c10d::TCPStoreOptions options;
  options.port = world.port;
  options.isServer = world.rank == 0 && !world.kept_by_launcher;
  options.waitWorkers = false;  // Gloo waits for all
  options.timeout = patience;
  const QuietLog quiet;
  try {
    const auto store = c10::make_intrusive<c10d::TCPStore>(world.address, options);
    if (!world.kept_by_launcher) return store;
    return c10::make_intrusive<c10d::PrefixStore>(fmt::format("/worker/attempt_{}", world.attempt), store);
  } catch (const std::exception& error) {
    const std::string reason = plain_reason(error);
    if (options.isServer) {
      throw Error(fmt::format("cannot open MASTER_PORT {}; does another program use it? ({})", world.port, reason));
    }
    throw Error(fmt::format(
        "found nobody at MASTER_ADDR {} and MASTER_PORT {} within {} s; is rank 0 started, and is it there? ({})",
        world.address, world.port, std::chrono::duration<double>(patience).count(), reason));
  }
}

KeptMeetingPoint::KeptMeetingPoint() {
  c10d::TCPStoreOptions options;
  options.port = 0;
  options.isServer = true;
  options.waitWorkers = false;
  const QuietLog quiet;
  try {
    const auto store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
    port_ = store->getPort();
    server_ = store;
  } catch (const std::exception& error) {
    throw Error(fmt::format("cannot open a port for the processes to meet at ({})", plain_reason(error)));
  }
}

std::string plain_reason(const std::exception& error) {
  const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
  std::string text = of_torch != nullptr ? of_torch->what_without_backtrace() : error.what();
  text = text.substr(0, text.find('\n'));
  // "[../gloo/transport/tcp/pair.cc:598] Connection closed by peer"
  if (text.starts_with("[") && text.find("] ") < text.size()) text = text.substr(text.find("] ") + 2);
  return text;
}

}  // namespace cmanp::training
