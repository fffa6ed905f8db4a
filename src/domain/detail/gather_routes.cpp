// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/gather_routes.hpp"

#include <algorithm>
#include <cstring>

namespace halocline {
namespace {

/// A route on its way between ranks: fixed part, then the reason.
struct Wire {
  std::int64_t from;
  std::int64_t to;
  std::int64_t transport;
  std::int64_t bytes;
  std::int64_t messages;
  std::int64_t packets;
  std::uint64_t reason_length;
};

}  // namespace

std::vector<RoutedMessage> gather_routed_messages(comm::Communicator& comm, std::span<const RoutedMessage> mine) {
  std::vector<std::byte> bytes;
  const auto append = [&bytes](const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), first, first + size);
  };
  for (const auto& [route, size, messages] : mine) {
    const Wire wire{
        route.from.value(),    route.to.value(),   static_cast<std::int64_t>(route.transport), size, messages,
        route.packets ? 1 : 0, route.reason.size()};
    append(&wire, sizeof wire);
    append(route.reason.data(), route.reason.size());
  }
  std::vector<RoutedMessage> all;
  for (const auto& part : comm.all_gather(bytes)) {
    for (std::size_t at = 0; at < part.size();) {
      Wire wire{};
      std::memcpy(&wire, part.data() + at, sizeof wire);
      at += sizeof wire;
      std::string reason(reinterpret_cast<const char*>(part.data() + at), wire.reason_length);
      at += wire.reason_length;
      all.push_back({{subdomain_id(wire.from), subdomain_id(wire.to), static_cast<routing::Transport>(wire.transport),
                      std::move(reason), wire.packets != 0},
                     wire.bytes,
                     wire.messages});
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.route.from, a.route.to) < std::pair(b.route.from, b.route.to);
  });
  return all;
}

}  // namespace halocline
