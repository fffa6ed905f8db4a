// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"

namespace halocline::exchange {

/// Memory of other ranks, mapped once for each device that uses it.
class Mappings {
 public:
  explicit Mappings(device::Backend& backend) : backend_(&backend) {}
  /// The address at which a device of this process sees an exported allocation. Maps it at the first call.
  [[nodiscard]] std::byte* base(int device, std::span<const device::MemoryHandle> pieces);
  [[nodiscard]] std::byte* base(int device, const device::MemoryHandle& handle) { return base(device, {&handle, 1}); }
  void clear() { mapped_.clear(); }

 private:
  device::Backend* backend_;
  std::map<std::pair<int, std::string>, std::unique_ptr<device::Mapping>> mapped_;
};

/// Sends each listed rank its message and returns the messages of these ranks, by rank. Every rank must list the ranks
/// that list it. Messages to this rank itself are returned, too.
[[nodiscard]] std::map<rank_id, std::vector<std::byte>> exchange_blobs(
    comm::RankGroup& comm, std::map<rank_id, std::vector<std::byte>> outgoing);

}  // namespace halocline::exchange
