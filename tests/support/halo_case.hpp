// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"
#include "device/host.hpp"
#include "exchange/exchange.hpp"
#include "halocline/domain.hpp"

namespace halocline::test {

/// One exchange to try: what is exchanged, among whom, and how it is disturbed.
struct HaloCase {
  Vec3 extent{12, 10, 8};
  Stencil radius = Stencil::box(1);
  std::vector<FieldDescriptor> fields;
  Boundaries boundaries = all_periodic;
  int devices_per_rank = 1;
  /// Every second rank drives one device more.
  bool uneven_devices = false;
  std::optional<int> ranks_per_node;
  routing::Policy policy;
  partition::Method partition = partition::Method::exact;
  std::optional<Vec3> node_grid;    ///< with Method::given
  std::optional<Vec3> device_grid;  ///< with Method::given
  /// By rank: a domain of OwnedBoxes, where there are any.
  std::vector<std::vector<Box>> boxes;
  /// Fields in arrays of the user's own, with odd strides and gaps, instead of Halocline's.
  bool own_arrays = false;
  /// Exchanges, each with other values, all fields swapped between them. The host never waits between two.
  int steps = 3;
  /// Every second exchange only of the first field.
  bool subsets = false;
  /// Exchanges of parts: of each field seeded directions, to a seeded depth; 0 for whole halos.
  std::uint64_t parts_seed = 0;
  /// Every second step, the first one included, accumulates instead of exchanging.
  std::optional<Combine> accumulates;
  [[nodiscard]] bool backwards(int step) const { return accumulates && step % 2 == 0; }
  /// The devices' part of each exchange is captured once and replayed.
  bool graphs = false;
  /// DomainOptions::launch_threads.
  bool launch_threads = false;
  /// Of host devices: HostOptions::sector_bytes.
  std::int64_t sector_bytes = 1;
  exchange::Tuning tuning;
  exchange::Messages messages = exchange::Messages::by_neighbour;
  /// The devices, where they are not the host's; then devices_per_rank, uneven_devices, graphs and delays mean nothing.
  std::function<std::shared_ptr<device::Backend>(comm::RankGroup&)> make_backend;
  /// Delays on random operations; 0 for none.
  std::uint64_t delay_seed = 0;
  std::string name;
};

/// A seeded case for a number of ranks: odd sizes, one- and two-wide decompositions, asymmetric radii with zeros,
/// edges and corners off, open boundaries, mixed types, own arrays. Fits by construction.
[[nodiscard]] HaloCase random_case(std::uint64_t seed, int ranks);

/// The same case in uneven boxes, seeded and shuffled among the ranks' devices, instead of a partition.
void give_boxes(HaloCase& halo_case, std::uint64_t seed, int ranks);

/// What a case came to on this rank.
struct HaloOutcome {
  /// Empty where everything is as geometry says; otherwise the first few wrong cells.
  std::string wrong;
  /// Cells that were compared.
  std::int64_t cells = 0;
  /// Messages that this rank sent, by transport.
  std::vector<exchange::Traffic> traffic;
};

/// Collective. Fills every cell with a function of its global index and everything else with sentinels, exchanges, and
/// compares all of it: halos with what geometry says, owned cells and everything else with what they were.
[[nodiscard]] HaloOutcome run_case(comm::RankGroup& comm, const HaloCase& halo_case);

/// What a case says of its domain, for a rank; makes its devices.
[[nodiscard]] DomainOptions options_of(comm::RankGroup& comm, const HaloCase& halo_case);

/// Delays a seeded fraction of operations by up to a few hundred microseconds.
[[nodiscard]] std::shared_ptr<device::Injector> random_delays(std::uint64_t seed);

}  // namespace halocline::test
