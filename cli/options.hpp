// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "exchange/exchange.hpp"
#include "halocline/environment.hpp"
#include "halocline/field.hpp"
#include "halocline/stencil.hpp"
#include "option_kinds.hpp"
#include "partition/strategy.hpp"
#include "placement/placement.hpp"
#include "progress.hpp"

namespace cli {

/// The values of the flags that all commands share. Flags are read in any order; resolve() combines those that belong
/// together, and refuses contradictions.
struct Options {
  halocline::Vec3 size{128, 128, 128};
  halocline::Stencil stencil = halocline::Stencil::box(1);
  bool no_edges = false;
  bool no_corners = false;
  std::vector<halocline::FieldDescriptor> fields;
  std::optional<int> lattice;       ///< velocities of the lattice whose populations each field holds: 15, 19 or 27
  std::array<bool, 3> staggered{};  ///< all fields, by dimension
  bool x_halos_apart = false;       ///< all fields
  halocline::Boundaries boundaries = halocline::all_periodic;
  int steps_per_exchange = 1;  ///< steps that an exchange serves

  // The machine at hand, or one that is not here.
  std::optional<halocline::DeviceKind> backend_kind;  ///< unset: automatic
  std::optional<int> devices;                         ///< in all, shared evenly by the ranks
  std::optional<int> devices_per_rank;                ///< unset: 1 host device, or an even part of the GPUs
  std::optional<int> ranks_per_node;
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> devices_per_node;
  std::optional<std::string> machine_file;
  std::optional<std::string> mapping_file;  ///< where halocline map puts the ranks
  bool device_mpi = false;                  ///< for machines that are not here
  /// After resolve(): --devices, --devices-per-rank or --backend if given, which have no effect on a plan for --machine.
  std::string of_machine_at_hand{};

  std::optional<halocline::partition::Method> partition;
  halocline::partition::Ties ties = halocline::partition::Ties::fewest_in_x;
  std::optional<std::string> weights_file;
  [[nodiscard]] bool measures_weights() const { return weights_file == "measured"; }
  std::optional<halocline::Vec3> node_grid;
  std::optional<halocline::Vec3> device_grid;
  halocline::placement::Request placement;
  std::optional<std::string> transports;
  std::optional<halocline::Duration> timeout;
  bool launch_threads = false;
  std::optional<std::string> trace;  ///< the file that operations of exchanges are recorded to
  std::optional<halocline::exchange::Messages> messages;
  std::optional<int> domains_at_once;  ///< unset: as in exchange::Tuning, or what suits the application
  int sm_budget = 0;                   ///< multiprocessors of a GPU that exchanges may occupy; 0: see exchange::Tuning

  std::vector<std::string> program;  ///< after --: a program with its arguments, for `profile`
  std::optional<std::string> tune;   ///< the file of choices; empty: the default one
  bool retune = false;
  double tune_budget = 2;  ///< seconds

  bool json = false;
  ProgressStyle progress = ProgressStyle::automatic;

  /// To be called once after parsing. The environment counts where no flag was given.
  /// ranks: of this program. Throws InvalidArgument.
  void resolve(const halocline::Environment& environment, int ranks);

  /// Whether the machine is one that the flags describe, not the one at hand.
  [[nodiscard]] bool elsewhere() const { return nodes || devices_per_node || machine_file; }
};

inline constexpr std::int64_t most_steps_per_exchange = 1'000'000;

/// The options, by what they decide. A command takes those that count for it, and no others.
void add_size_option(CLI::App& app, Options& options);
/// The stencil, the fields and the boundaries.
void add_stencil_options(CLI::App& app, Options& options);
/// The machine at hand.
void add_machine_options(CLI::App& app, Options& options);
/// --machine
void add_map_option(CLI::App& app, Options& options);
/// A machine that is not here, with add_map_option().
void add_elsewhere_options(CLI::App& app, Options& options);
void add_device_mpi_option(CLI::App& app, Options& options);
/// --mapping, for a command that plans for --machine
void add_mapping_option(CLI::App& app, Options& options);
void add_partition_options(CLI::App& app, Options& options);
void add_place_options(CLI::App& app, Options& options);
void add_route_options(CLI::App& app, Options& options);
/// How a running exchange uses devices.
void add_exchange_options(CLI::App& app, Options& options);
/// The four above, for a command that runs exchanges.
void add_decision_options(CLI::App& app, Options& options);
/// --trace; what: that is recorded.
void add_trace_option(CLI::App& app, Options& options, const std::string& what);
void add_output_options(CLI::App& app, Options& options);
void add_progress_option(CLI::App& app, Options& options);

enum class Stage : int { machine, partition, place, route };
/// The options of a command that plans up to a stage, with the options of all stages before it.
void add_planning_options(CLI::App& app, Options& options, Stage last);

}  // namespace cli
