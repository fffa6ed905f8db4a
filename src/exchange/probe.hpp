// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"
#include "exchange/exchange.hpp"
#include "placement/placement.hpp"
#include "routing/choose.hpp"

namespace halocline::exchange {

/// The facts of every message that a subdomain of this rank sends or receives, found by trying: memory is actually
/// allocated, exported, mapped and read, and MPI is called with a device pointer if it reports support. The facts are
/// the same at both ends of each pair.
struct PairKey {
  subdomain_id from;
  subdomain_id to;
  friend auto operator<=>(const PairKey&, const PairKey&) = default;
};
using FactTable = std::map<PairKey, routing::PairFacts>;

struct ProbeRequest {
  comm::RankGroup* comm = nullptr;
  device::Backend* backend = nullptr;
  const partition::Geometry* geometry = nullptr;
  const placement::Placement* placement = nullptr;
  /// Whether other ranks can map the arrays of each local subdomain, in the order of Placement::of_rank; with the
  /// reason if not.
  std::vector<Verdict> exportable;
  /// Whether other devices of this rank may store to them, in the same order; empty: they may.
  std::vector<Verdict> storable{};
  /// Of the machine map: whether two devices are in one load/store domain, whatever their nodes. Devices of one node are tried in any
  /// case; empty: those alone.
  std::function<bool(const placement::Slot&, const placement::Slot&)> share_load_store{};
  /// Of the machine map: the name of a device that is the same on all (virtual) nodes that have it; empty: unknown.
  std::function<std::string(const placement::Slot&)> uuid{};
  /// Whether routes may be by nccl; the same on all ranks.
  bool communicators = false;
  /// The user's own arrays of each local subdomain, in the order of `exportable`, which other ranks then try to map; empty: none.
  std::span<const LocalSubdomain> subdomains{};
  /// Where other ranks' arrays that were mapped stay so, until an exchange has mapped them, too: memory of pools is not imported anew.
  std::vector<std::unique_ptr<device::Mapping>>* kept = nullptr;
};

/// Collective. Throws the same error on all ranks if one fails; a missing capability is not a failure.
[[nodiscard]] FactTable probe_pairs(const ProbeRequest& request);

}  // namespace halocline::exchange
