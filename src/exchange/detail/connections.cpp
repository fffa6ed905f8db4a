// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/connections.hpp"

#include "comm/requests.hpp"
#include "core/serialise.hpp"
#include "exchange/detail/tags.hpp"
#include "exchange/detail/transfers.hpp"

namespace halocline::exchange {

std::byte* Mappings::base(int device, std::span<const device::MemoryHandle> pieces) {
  const auto bytes = std::as_bytes(pieces);
  auto& mapping = mapped_[{device, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())}];
  if (!mapping) mapping = backend_->map_range(device, pieces);
  return mapping->data();
}

std::map<rank_id, std::vector<std::byte>> exchange_blobs(comm::RankGroup& comm,
                                                         std::map<rank_id, std::vector<std::byte>> outgoing) {
  Transfers transfers(comm);

  // Lengths first: the receiver cannot know them.
  for (const auto& [rank, bytes] : outgoing) {
    auto length = to_bytes(std::uint64_t{bytes.size()});
    transfers.receive(length.size(), rank, tags::set_up_length);
    transfers.send(std::move(length), rank, tags::set_up_length);
  }
  const auto lengths = transfers.wait(comm.timeout(), "exchange of set-up lengths with neighbours");

  auto length = lengths.begin();
  for (auto& [rank, bytes] : outgoing) {
    transfers.receive(from_bytes<std::uint64_t>(*length++), rank, tags::set_up);
    transfers.send(std::move(bytes), rank, tags::set_up);
  }
  auto received = transfers.wait(comm.timeout(), "exchange of set-up data with neighbours");

  std::map<rank_id, std::vector<std::byte>> incoming;
  auto next = received.begin();
  for (const auto& [rank, bytes] : outgoing) incoming[rank] = std::move(*next++);
  return incoming;
}

}  // namespace halocline::exchange
