// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/detail/connections.hpp"
#include "exchange/transport/endpoint.hpp"

namespace halocline::exchange {

/// A place in a mailbox, as it is published to the other end of a route.
struct RemotePlace {
  device::MemoryHandle mailbox;
  std::uint64_t offset = 0;
};

/// Its address for a device of this rank.
[[nodiscard]] inline std::byte* address_of(Mappings& mappings, int device, const RemotePlace& place) {
  return mappings.base(device, place.mailbox) + place.offset;
}
[[nodiscard]] inline device::Flag* flag_of(Mappings& mappings, int device, const RemotePlace& place) {
  return reinterpret_cast<device::Flag*>(address_of(mappings, device, place));
}

/// The guard of a channel's waits, with the text for the error when they are late.
[[nodiscard]] inline std::shared_ptr<const device::WaitGuard> make_guard(const Channel& channel, const Context& context,
                                                                         const char* what) {
  return std::make_shared<device::WaitGuard>(
      device::WaitGuard{channel.label() + ", waiting for \"" + what + "\"", context.timeout, context.abort});
}

}  // namespace halocline::exchange
