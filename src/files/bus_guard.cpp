#include "files/bus_guard.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cmanp/error.hpp>
#include <cstdint>
#include <mutex>
#include <utility>

namespace cmanp::files {
namespace {

// Read by the signal's handler: nothing but atomics.
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<std::uintptr_t> begin = 0;
  std::atomic<std::uintptr_t> end = 0;
  std::atomic<bool> hit = false;
};

std::array<Slot, 256> slots;
std::uintptr_t page_size = 0;
struct sigaction before;  // whose turn it is where the address is not ours

void on_bus_error(int signal, siginfo_t* info, void*) {
  const int kept = errno;
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Slot& slot : slots) {
    if (at < slot.begin || at >= slot.end) continue;
    void* page = reinterpret_cast<void*>(at / page_size * page_size);
    if (::mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) break;
    slot.hit = true;
    errno = kept;
    return;
  }
  // The read is tried again on return, and then meets whoever was there before.
  ::sigaction(SIGBUS, &before, nullptr);
  if (info->si_code <= 0) ::raise(signal);  // sent by a process: it does not come by itself again
  errno = kept;
}

void install() {
  page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &before);
}

}  // namespace

BusGuard::BusGuard(std::span<const std::byte> mapped) {
  static std::once_flag installed;
  std::call_once(installed, install);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].taken.exchange(true)) continue;
    slots[i].hit = false;
    slots[i].begin = reinterpret_cast<std::uintptr_t>(mapped.data());
    slots[i].end = reinterpret_cast<std::uintptr_t>(mapped.data() + mapped.size());
    slot_ = i + 1;
    return;
  }
  throw Error("too many large files are open at once");
}

BusGuard::BusGuard(BusGuard&& other) noexcept : slot_(std::exchange(other.slot_, 0)) {}

BusGuard& BusGuard::operator=(BusGuard&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

BusGuard::~BusGuard() {
  if (slot_ == 0) return;
  Slot& slot = slots[slot_ - 1];
  slot.end = 0;
  slot.begin = 0;
  slot.taken = false;
}

bool BusGuard::hit() const { return slot_ > 0 && slots[slot_ - 1].hit; }

}  // namespace cmanp::files
