// SPDX-License-Identifier: BSD-3-Clause
#include "placement/detail/owners.hpp"

#include <map>
#include <utility>

#include <fmt/core.h>

#include "halocline/error.hpp"

namespace halocline::placement {
namespace {

void check_number(std::size_t owners, std::int64_t subdomains, const machine::MachineMap& map) {
  if (std::cmp_not_equal(owners, subdomains)) {
    throw InvalidArgument(
        fmt::format("number of owners is {}; allowed is one for each subdomain, {}", owners, subdomains));
  }
  std::size_t devices = 0;
  for (const machine::RankEntry& rank : map.ranks) devices += rank.devices.size();
  if (std::cmp_not_equal(devices, subdomains)) {
    throw InvalidArgument(
        fmt::format("number of subdomains with given owners is {}; allowed is one for each device that ranks of "
                    "machine '{}' drive, {}",
                    subdomains, map.name, devices));
  }
}

Slot slot_of(std::size_t subdomain, const Owner& owner, const machine::MachineMap& map) {
  if (!owner.rank.valid() || owner.rank.index() >= map.ranks.size()) {
    throw InvalidArgument(fmt::format("owner of subdomain {} is rank {}; allowed for machine '{}' are 0 to {}",
                                      subdomain, owner.rank.value(), map.name, std::ssize(map.ranks) - 1));
  }
  const machine::RankEntry& rank = map.ranks[owner.rank.index()];
  if (owner.device < 0 || std::cmp_greater_equal(owner.device, rank.devices.size())) {
    throw InvalidArgument(
        fmt::format("owner of subdomain {} is device {} of rank {}; allowed are the rank's {} devices, "
                    "counted from 0",
                    subdomain, owner.device, owner.rank.value(), rank.devices.size()));
  }
  return {owner.rank, rank.node, rank.devices[static_cast<std::size_t>(owner.device)], owner.device};
}

}  // namespace

std::vector<Slot> detail::slots_of_owners(std::span<const Owner> owners, std::int64_t subdomains,
                                          const machine::MachineMap& map) {
  check_number(owners.size(), subdomains, map);
  std::vector<Slot> slots;
  slots.reserve(owners.size());
  std::map<std::pair<rank_id, int>, std::size_t> subdomain_of;
  for (std::size_t s = 0; s < owners.size(); ++s) {
    slots.push_back(slot_of(s, owners[s], map));
    const auto [other, is_new] = subdomain_of.try_emplace({owners[s].rank, owners[s].device}, s);
    if (is_new) continue;
    throw InvalidArgument(
        fmt::format("owner of subdomains {} and {} is device {} of rank {}; allowed is one subdomain "
                    "for each device",
                    other->second, s, owners[s].device, owners[s].rank.value()));
  }
  return slots;
}

}  // namespace halocline::placement
