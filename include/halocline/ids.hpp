// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace [[gnu::visibility("default")]] halocline {

/// An integer with a type for what it counts, so that a rank cannot be passed for a device.
/// Converted explicitly in both directions; -1 means "none".
template <typename Tag>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(std::int64_t value) : value_(value) {}
  [[nodiscard]] constexpr std::int64_t value() const { return value_; }
  /// For indexing containers. The id must be valid.
  [[nodiscard]] constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }
  [[nodiscard]] constexpr bool valid() const { return value_ >= 0; }
  friend constexpr auto operator<=>(const StrongId&, const StrongId&) = default;

 private:
  std::int64_t value_ = -1;
};

/// A process (or a thread that stands for one) in the domain's communicator.
using rank_id = StrongId<struct RankTag>;
/// A node in the machine map.
using node_id = StrongId<struct NodeTag>;
/// A device within its node in the machine map; the same number for every rank of the node.
using device_id = StrongId<struct DeviceTag>;
/// A subdomain in the partition.
using subdomain_id = StrongId<struct SubdomainTag>;
/// A field of a domain, in the order in which fields were added.
using field_id = StrongId<struct FieldTag>;
/// A reduction of a domain, in the order in which reductions were added.
using reduction_id = StrongId<struct ReductionTag>;

}  // namespace halocline
