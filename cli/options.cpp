#include "options.hpp"

#include <fmt/core.h>

#include <array>
#include <limits>
#include <utility>

#include "halocline/core/error.hpp"
#include "halocline/routing/routing.hpp"

namespace cli {
namespace {

using halocline::InvalidArgument;
using halocline::device::BackendKind;

constexpr std::int64_t most_devices_of_rank = 64;
constexpr std::int64_t most_nodes = 1 << 20;
constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
constexpr const char* machine_group = "Machine";
constexpr const char* domain_group = "Domain";
constexpr const char* decision_group = "Decisions";

/// A setter of a whole number within limits.
template <typename Target>
auto integer_into(Target& target, std::int64_t least, std::int64_t most) {
  return [&target, least, most](const std::string& name, const std::string& word) {
    using Value = typename Target::value_type;
    target = static_cast<Value>(parse_integer(name, word, least, most));
  };
}

}  // namespace

CLI::Option* add_words(CLI::App& app, const std::string& name, const std::string& placeholder, int most,
                       const std::string& meaning,
                       std::function<void(const std::string& name, const Words& words)> parse) {
  return app
      .add_option_function<Words>(
          name, [name, parse = std::move(parse)](const Words& words) { parse(name, words); }, meaning)
      ->expected(1, most)
      ->type_name(placeholder);
}

CLI::Option* add_word(CLI::App& app, const std::string& name, const std::string& placeholder,
                      const std::string& meaning,
                      std::function<void(const std::string& name, const std::string& word)> parse) {
  return app
      .add_option_function<std::string>(
          name, [name, parse = std::move(parse)](const std::string& word) { parse(name, word); }, meaning)
      ->type_name(placeholder);
}

void add_size_option(CLI::App& app, Options& options) {
  add_words(app, "--size", "X Y Z", 3, "cells of the domain; one number for a cube (default 128 128 128)",
            [&options](const auto& name, const auto& words) { options.size = parse_extent(name, words); })
      ->group(domain_group);
}

void add_stencil_options(CLI::App& app, Options& options) {
  add_words(app, "--radius", "R", 6,
            "cells that are read beyond a side: 1 number, 3 (x y z) or 6 (below and above "
            "x, y, z); default 1",
            [&options](const auto& name, const auto& words) { options.radius = parse_radius(name, words); })
      ->group(domain_group);
  app.add_flag("--no-edges", options.no_edges, "the stencil reads no edges of the halo")
      ->disable_flag_override()
      ->group(domain_group);
  app.add_flag("--no-corners", options.no_corners, "the stencil reads no corners of the halo")
      ->disable_flag_override()
      ->group(domain_group);
  add_word(app, "--fields", "NxTYPE", "fields, e.g. 4xf32 or 2xf64,1xi8 (default 1xf32)",
           [&options](const auto& name, const auto& word) { options.fields = parse_fields(name, word); })
      ->group(domain_group);
  add_words(app, "--open", "DIMS", 3, "dimensions that end instead of wrapping around, e.g. x,z",
            [&options](const auto& name, const auto& words) {
              parse_boundaries(name, words, halocline::Boundary::open, options.boundaries);
            })
      ->group(domain_group);
  add_words(app, "--wrapped", "DIMS", 3,
            "dimensions whose ends kernels wrap around by themselves where they are not cut, e.g. x",
            [&options](const auto& name, const auto& words) {
              parse_boundaries(name, words, halocline::Boundary::wrapped, options.boundaries);
            })
      ->group(domain_group);
  add_word(app, "--halo-multiplier", "K", "steps that an exchange serves, with halos of K times the radius (default 1)",
           [&options](const auto& name, const auto& word) {
             options.halo_multiplier = static_cast<int>(parse_integer(name, word, 1, most_halo_multiplier));
           })
      ->group(domain_group);
}

void add_machine_options(CLI::App& app, Options& options) {
  add_word(
      app, "--backend", "KIND", "host, cuda, or auto (default): GPUs where every rank sees one, else host devices",
      [&options](const auto& name, const auto& word) {
        constexpr std::array<std::optional<BackendKind>, 3> kinds{std::nullopt, BackendKind::host, BackendKind::cuda};
        options.backend_kind = kinds[parse_choice(name, word, {"auto", "host", "cuda"})];
      })
      ->group(machine_group);
  add_word(app, "--devices", "D", "devices in all, shared evenly by the ranks (one process without a launcher)",
           integer_into(options.devices, 1, most_nodes))
      ->group(machine_group);
  add_word(app, "--devices-per-rank", "D", "devices of each rank (default: 1 host device, or all GPUs shared evenly)",
           integer_into(options.devices_per_rank, 1, most_devices_of_rank))
      ->group(machine_group);
  add_word(app, "--ranks-per-node", "R",
           "ranks of a node: virtual nodes of the machine at hand, or as given by --nodes",
           integer_into(options.ranks_per_node, 1, most_nodes))
      ->group(machine_group);
  add_word(app, "--machine", "MAP",
           "a machine map: a file (as 'halocline machine --json' writes it), or a name, e.g. summit",
           [&options](const auto&, const auto& word) { options.machine_file = word; })
      ->group(machine_group);
}

void add_elsewhere_options(CLI::App& app, Options& options) {
  add_word(app, "--nodes", "N", "plan for a machine of N nodes alike that is not here, or for the first N of --machine",
           integer_into(options.nodes, 1, most_nodes))
      ->group(machine_group);
  add_word(app, "--devices-per-node", "D", "devices of each of its nodes (default 1)",
           integer_into(options.devices_per_node, 1, 4096))
      ->group(machine_group);
  app.add_flag("--device-mpi", options.device_mpi, "its MPI takes device pointers")
      ->disable_flag_override()
      ->group(machine_group);
}

void add_decision_options(CLI::App& app, Options& options) {
  using halocline::partition::Method;
  add_word(
      app, "--partition", "METHOD", "exact (default), bisection, z_order, fastest, or given",
      [&options](const auto& name, const auto& word) {
        constexpr std::array methods{Method::exact, Method::bisection, Method::z_order, Method::given, Method::fastest};
        options.partition = methods[parse_choice(name, word, {"exact", "bisection", "z_order", "given", "fastest"})];
      })
      ->group(decision_group);
  add_words(app, "--node-grid", "X Y Z", 3, "parts in each dimension at the level of nodes (implies given)",
            [&options](const auto& name, const auto& words) { options.node_grid = parse_extent(name, words); })
      ->group(decision_group);
  add_words(app, "--device-grid", "X Y Z", 3, "parts in each dimension within a node (implies given)",
            [&options](const auto& name, const auto& words) { options.device_grid = parse_extent(name, words); })
      ->group(decision_group);
  add_word(app, "--place", "METHOD", "automatic (default), trivial, exact, craft, or random",
           [&options](const auto& name, const auto& word) {
             using Place = halocline::placement::Method;
             constexpr std::array methods{Place::automatic, Place::trivial, Place::exact, Place::craft, Place::random};
             options.placement.method =
                 methods[parse_choice(name, word, {"automatic", "trivial", "exact", "craft", "random"})];
           })
      ->group(decision_group);
  add_word(app, "--seed", "N", "for --place random (default 0)", [&options](const auto& name, const auto& word) {
    options.placement.seed = static_cast<std::uint64_t>(parse_integer(name, word, 0, any));
  })->group(decision_group);
  add_word(app, "--transports", "NAMES",
           "transports that may be used, in this order, e.g. direct,mpi_staged; or --transports=-direct to forbid one",
           [&options](const auto& name, const auto& word) {
             try {
               static_cast<void>(halocline::routing::Policy::parse(word));
             } catch (const InvalidArgument& error) {
               // "transports are '...': ..."
               const std::string what = error.what();
               throw InvalidArgument(fmt::format("{} is '{}': {}", name, word, what.substr(what.find("': ") + 3)));
             }
             options.transports = word;
           })
      ->group(decision_group);
  add_word(app, "--messages", "HOW", "by-neighbour (default), or by-direction: one of each direction, with all fields",
           [&options](const auto& name, const auto& word) {
             using halocline::exchange::Messages;
             constexpr std::array ways{Messages::by_neighbour, Messages::by_direction};
             options.messages = ways[parse_choice(name, word, {"by-neighbour", "by-direction"})];
           })
      ->group(decision_group);
  add_word(
      app, "--sm-budget", "N",
      "multiprocessors of a GPU that exchanges may occupy (default 0: 16 beside kernels, else as many as are of use)",
      [&options](const auto& name, const auto& word) {
        options.sm_budget = static_cast<int>(parse_integer(name, word, 0, 1'000));
      })
      ->group(decision_group);
  app.add_flag("--launch-threads", options.launch_threads,
               "a thread for each device enqueues its work, exchanges included")
      ->disable_flag_override()
      ->group(decision_group);
  add_word(app, "--timeout", "SECONDS", "how long a collective or an exchange may take (default 120)",
           [&options](const auto& name, const auto& word) { options.timeout = parse_seconds(name, word); })
      ->group(decision_group);
}

void add_output_options(CLI::App& app, Options& options) {
  app.add_flag("--json", options.json, "one JSON document on standard output, and nothing else")
      ->disable_flag_override();
}

void Options::resolve(const halocline::Environment& environment, int ranks) {
  if (no_edges) radius = radius.without_edges();
  if (no_corners) radius = radius.without_corners();
  if (fields.empty()) fields = parse_fields("--fields", "1xf32");

  if (node_grid || device_grid) {
    if (partition && *partition != halocline::partition::Method::given) {
      refuse("--partition", to_string(*partition), "given, because --node-grid or --device-grid is there");
    }
    partition = halocline::partition::Method::given;
  } else if (partition == halocline::partition::Method::given) {
    refuse("--partition", "given", "given together with --node-grid or --device-grid or both");
  }

  if (devices && devices_per_rank) {
    refuse("--devices", fmt::format("{}", *devices), "either --devices or --devices-per-rank, not both");
  }
  if (machine_file && devices_per_node) {
    refuse("--machine", *machine_file, "--machine with --nodes, or --nodes with --devices-per-node, not both");
  }
  if (elsewhere() && !machine_file && (devices || devices_per_rank)) {
    refuse(devices ? "--devices" : "--devices-per-rank", fmt::format("{}", devices ? *devices : *devices_per_rank),
           "--devices for the machine at hand, or --nodes with --devices-per-node for one that is not here");
  }
  if (elsewhere() && !machine_file && backend_kind) {
    refuse("--backend", halocline::device::to_string(*backend_kind),
           "a choice for the machine at hand, not together with --nodes and --devices-per-node");
  }
  if (devices) {
    if (*devices % ranks != 0 || *devices / ranks > most_devices_of_rank) {
      refuse("--devices", fmt::format("{}", *devices),
             fmt::format("a multiple of the number of ranks, {}, and at most {} a rank", ranks, most_devices_of_rank));
    }
    devices_per_rank = *devices / ranks;
  }
  // A described machine has the ranks that the flags say; the environment speaks of the machine at hand.
  if (!devices_per_rank) devices_per_rank = environment.devices_per_rank;
  if (!ranks_per_node && !elsewhere()) ranks_per_node = environment.ranks_per_node;
  if (!transports) transports = environment.transports;
  if (!timeout) timeout = environment.timeout;
}

void add_progress_option(CLI::App& app, Options& options) {
  add_word(app, "--progress", "STYLE",
           "on standard error: auto (default: a bar on a terminal, else lines), bar, "
           "lines, off",
           [&options](const auto& name, const auto& word) {
             options.progress = static_cast<ProgressStyle>(parse_choice(name, word, {"auto", "bar", "lines", "off"}));
           });
}

}  // namespace cli
