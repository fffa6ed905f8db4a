#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "halocline/core/environment.hpp"
#include "halocline/core/field.hpp"
#include "halocline/core/radius.hpp"
#include "halocline/device/backend.hpp"
#include "halocline/exchange/exchange.hpp"
#include "halocline/partition/strategy.hpp"
#include "halocline/placement/placement.hpp"
#include "parse.hpp"
#include "progress.hpp"

namespace cli {

/// What the flags say that all commands share. Flags are read in any order; resolve() puts together what
/// several of them decide, and refuses what contradicts.
struct Options {
  halocline::Vec3 size{128, 128, 128};
  halocline::Radius radius = halocline::Radius::uniform(1);
  bool no_edges = false;
  bool no_corners = false;
  std::vector<halocline::FieldDescriptor> fields;
  halocline::Boundaries boundaries = halocline::all_periodic;
  int halo_multiplier = 1;  ///< steps that an exchange serves

  // The machine at hand, or one that is not here.
  std::optional<halocline::device::BackendKind> backend_kind;  ///< unset: automatic
  std::optional<int> devices;                                  ///< in all, shared evenly by the ranks
  std::optional<int> devices_per_rank;                         ///< unset: 1 host device, or an even part of the GPUs
  std::optional<int> ranks_per_node;
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> devices_per_node;
  std::optional<std::string> machine_file;
  bool device_mpi = false;  ///< for machines that are not here

  std::optional<halocline::partition::Method> partition;
  std::optional<halocline::Vec3> node_grid;
  std::optional<halocline::Vec3> device_grid;
  halocline::placement::Request placement;
  std::optional<std::string> transports;
  std::optional<halocline::Duration> timeout;
  bool launch_threads = false;
  std::optional<halocline::exchange::Messages> messages;
  int sm_budget = 0;  ///< multiprocessors of a GPU that exchanges may occupy; 0: see exchange::Tuning

  std::vector<std::string> program;  ///< behind --: a program with its arguments, for `profile`
  bool json = false;
  ProgressStyle progress = ProgressStyle::automatic;

  /// To be called once after parsing. The environment counts where no flag was given.
  /// ranks: of this program. Throws InvalidArgument.
  void resolve(const halocline::Environment& environment, int ranks);

  /// Whether the machine is one that the flags describe, not the one at hand.
  [[nodiscard]] bool elsewhere() const { return nodes || devices_per_node || machine_file; }
};

/// Adds an option of 1 to `most` words; parse gets its name and its words as they were typed.
CLI::Option* add_words(CLI::App& app, const std::string& name, const std::string& placeholder, int most,
                       const std::string& meaning,
                       std::function<void(const std::string& name, const Words& words)> parse);
/// The same for one word.
CLI::Option* add_word(CLI::App& app, const std::string& name, const std::string& placeholder,
                      const std::string& meaning,
                      std::function<void(const std::string& name, const std::string& word)> parse);

/// The flags, in groups. Every command takes those of the stages that it runs or reports on.
void add_size_option(CLI::App& app, Options& options);
void add_stencil_options(CLI::App& app, Options& options);
inline constexpr std::int64_t most_halo_multiplier = 1'000'000;
void add_machine_options(CLI::App& app, Options& options);
/// For a machine that is not here.
void add_elsewhere_options(CLI::App& app, Options& options);
void add_decision_options(CLI::App& app, Options& options);
void add_output_options(CLI::App& app, Options& options);
void add_progress_option(CLI::App& app, Options& options);

}  // namespace cli
