#include "training/distributed/local_address.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>

namespace cmanp::training {
namespace {

// Empty where this one does not work.
std::string address_towards(const addrinfo& peer) {
  // Nothing is sent: to connect a datagram socket is to choose its route.
  const int socket = ::socket(peer.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return {};
  sockaddr_storage own = {};
  socklen_t length = sizeof own;
  auto* generic = reinterpret_cast<sockaddr*>(&own);
  std::array<char, NI_MAXHOST> text = {};
  const bool known = ::connect(socket, peer.ai_addr, peer.ai_addrlen) == 0 &&
                     ::getsockname(socket, generic, &length) == 0 &&
                     ::getnameinfo(generic, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0;
  ::close(socket);
  return known ? text.data() : std::string();
}

}  // namespace

std::string address_towards(const std::string& host) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), "9", &hints, &list) != 0) return {};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, ::freeaddrinfo);
  for (const addrinfo* peer = list; peer != nullptr; peer = peer->ai_next) {
    std::string address = address_towards(*peer);
    if (!address.empty()) return address;
  }
  return {};
}

}  // namespace cmanp::training
