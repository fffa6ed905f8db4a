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

/// A random or hand-made exchange test: the fields, the ranks and devices, and the disturbances.
struct HaloCase {
  Vec3 extent{12, 10, 8};
  Stencil radius = Stencil::box(1);
  std::vector<FieldDescriptor> fields;
  Boundaries boundaries = all_periodic;
  int devices_per_rank = 1;
  /// Every second rank drives one more device.
  bool uneven_devices = false;
  std::optional<int> ranks_per_node;
  bool virtual_rack = false;  ///< nodes map each other's memory
  routing::Policy policy;
  routing::NetEngine net_engine = routing::NetEngine::automatic;
  partition::Method partition = partition::Method::exact;
  std::optional<Vec3> node_grid;    ///< with Method::given
  std::optional<Vec3> device_grid;  ///< with Method::given
  std::optional<Machine> map;       ///< instead of the machine at hand
  placement::Method place = placement::Method::automatic;
  /// By rank: a domain of OwnedBoxes; empty: partitioned.
  std::vector<std::vector<Box>> boxes;
  /// Fields in user arrays, with odd strides and gaps, instead of Halocline's.
  bool own_arrays = false;
  /// The number of exchanges, each with different values; all fields are swapped in between. The host never waits
  /// between two.
  int steps = 3;
  /// Every second exchange transfers the first field only.
  bool subsets = false;
  /// Transfers: for each field seeded directions, to a seeded depth; 0 for whole halos.
  std::uint64_t parts_seed = 0;
  /// Every second step, starting with the first, accumulates instead of exchanging.
  std::optional<Combine> accumulates;
  [[nodiscard]] bool backwards(int step) const { return accumulates && step % 2 == 0; }
  /// The device work of each exchange is captured once and replayed.
  bool graphs = false;
  /// DomainOptions::launch_threads.
  bool launch_threads = false;
  /// HostOptions::sector_bytes of host devices.
  std::int64_t sector_bytes = 1;
  exchange::Tuning tuning;
  exchange::Messages messages = exchange::Messages::by_neighbour;
  /// Makes other devices than host devices; then devices_per_rank, uneven_devices, graphs and delays have no effect.
  std::function<std::shared_ptr<device::Backend>(comm::RankGroup&)> make_backend;
  /// Delays on random operations; 0 for none.
  std::uint64_t delay_seed = 0;
  std::string name;
};

/// A seeded case for a number of ranks: odd sizes, one- and two-wide decompositions, asymmetric radii with zeros,
/// edges and corners off, open boundaries, mixed types, own arrays. Fits by construction.
[[nodiscard]] HaloCase random_case(std::uint64_t seed, int ranks);

/// The same case in uneven boxes, seeded and randomly assigned to the ranks' devices, instead of a partition.
void give_boxes(HaloCase& halo_case, std::uint64_t seed, int ranks);

/// The same case with seeded wire formats of its real and complex fields, at least one.
void give_wires(HaloCase& halo_case, std::uint64_t seed);

/// The same case in Halocline's memory, with halos in x stored apart for seeded fields, at least the first.
void store_x_halos_apart(HaloCase& halo_case, std::uint64_t seed);

/// The result of a case on this rank.
struct HaloOutcome {
  /// Empty if all cells are right; otherwise the first few wrong cells.
  std::string wrong;
  /// The number of cells that were compared.
  std::int64_t cells = 0;
  /// The messages that this rank sent, by transport.
  std::vector<exchange::Traffic> traffic;
};

/// Collective. Sets every owned cell to a function of its global index and all other bytes to sentinels, exchanges, and
/// compares everything: halos with the values by geometry, owned cells and all other bytes with their values before.
[[nodiscard]] HaloOutcome run_case(comm::RankGroup& comm, const HaloCase& halo_case);

/// The domain options of a case for a rank; makes its devices.
[[nodiscard]] DomainOptions options_of(comm::RankGroup& comm, const HaloCase& halo_case);

/// Delays a seeded fraction of operations by up to a few hundred microseconds.
[[nodiscard]] std::shared_ptr<device::Injector> random_delays(std::uint64_t seed);

}  // namespace halocline::test
