// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <fmt/core.h>

#include "core/limits.hpp"
#include "halocline/error.hpp"
#include "halocline/routing.hpp"

namespace cli {
namespace {

namespace limits = halocline::limits;
using halocline::DeviceKind;

constexpr std::int64_t most_devices_of_rank = 64;
constexpr const char* machine_group = "Machine";
constexpr const char* domain_group = "Domain";
constexpr const char* decision_group = "Decisions";

/// The populations of a three-dimensional lattice as components: at rest, then towards faces, edges (19, 27) and corners
/// (15, 27).
void hold_populations(halocline::FieldDescriptor& field, int count) {
  std::vector<halocline::Vec3> velocities{{0, 0, 0}};
  for (const halocline::Direction d : halocline::all_directions) {
    if (d.order() == 1 || (d.order() == 2 && count != 15) || (d.order() == 3 && count != 19)) {
      velocities.push_back(d.vec());
    }
  }
  field.components = static_cast<int>(velocities.size());
  field.component_directions = halocline::directions_of_velocities(velocities);
}

}  // namespace

void add_size_option(CLI::App& app, Options& options) {
  add_words(app, "--size", "X Y Z", 3, "cells of the domain; one number for a cube (default 128 128 128)",
            [&options](const auto& name, const auto& words) { options.size = parse_extent(name, words); })
      ->group(domain_group);
}

void add_stencil_options(CLI::App& app, Options& options) {
  add_words(app, "--radius", "R", 6,
            "cells that a step reads across a side: 1 number, 3 (x y z) or 6 (below and above x, y, z); default 1",
            [&options](const auto& name, const auto& words) { options.stencil = parse_radius(name, words); })
      ->group(domain_group);
  add_flag(app, "--no-edges", "the stencil does not read across edges", options.no_edges)->group(domain_group);
  add_flag(app, "--no-corners", "the stencil does not read across corners", options.no_corners)->group(domain_group);
  add_word(app, "--fields", "NxTYPE",
           "fields, e.g. 4xf32 or 2xf64,1xi8 (default 1xf32); 4xf64:f32 are f64, sent as f32",
           [&options](const auto& name, const auto& word) { options.fields = parse_fields(name, word); })
      ->group(domain_group);
  add_choice(app, "--lattice", "NAME",
             "lattice Boltzmann: each field holds the populations of d3q15, d3q19 or d3q27; each population is sent "
             "only in the directions in which it streams",
             options.lattice, Choices<std::optional<int>>{{"d3q15", 15}, {"d3q19", 19}, {"d3q27", 27}})
      ->group(domain_group);
  add_words(app, "--staggered", "DIMS", 3,
            "dimensions in which all fields are staggered: one more layer where they are open, e.g. x,y",
            [&options](const auto& name, const auto& words) { options.staggered = parse_dimensions(name, words); })
      ->group(domain_group);
  add_flag(app, "--x-halos-apart", "halos in x are stored apart from the rows, which makes exchanges of them faster",
           options.x_halos_apart)
      ->group(domain_group);
  add_words(app, "--open", "DIMS", 3, "dimensions that are not periodic, e.g. x,z",
            [&options](const auto& name, const auto& words) {
              parse_boundaries(name, words, halocline::Boundary::open, options.boundaries);
            })
      ->group(domain_group);
  add_words(app, "--periodic-in-kernel", "DIMS", 3,
            "periodic dimensions that get no halos where they are not cut, because kernels wrap around, e.g. x",
            [&options](const auto& name, const auto& words) {
              parse_boundaries(name, words, halocline::Boundary::periodic_in_kernel, options.boundaries);
            })
      ->group(domain_group);
  add_integer(app, "--steps-per-exchange", "K",
              "exchange once in K steps, with halos of K times the radius (default 1)", options.steps_per_exchange, 1,
              most_steps_per_exchange)
      ->group(domain_group);
}

void add_machine_options(CLI::App& app, Options& options) {
  using Kind = std::optional<halocline::DeviceKind>;
  add_choice(app, "--backend", "KIND",
             "host, cuda, or auto (default): GPUs if every rank sees one, otherwise host devices", options.backend_kind,
             Choices<Kind>{
                 {"auto", std::nullopt}, {"host", halocline::DeviceKind::host}, {"cuda", halocline::DeviceKind::cuda}})
      ->group(machine_group);
  add_integer(app, "--devices", "D",
              "total number of devices, shared evenly by the ranks (without a launcher: one rank)", options.devices, 1,
              limits::devices)
      ->group(machine_group);
  add_integer(app, "--devices-per-rank", "D",
              "devices of each rank (default: 1 host device, or all GPUs shared evenly)", options.devices_per_rank, 1,
              most_devices_of_rank)
      ->group(machine_group);
  add_integer(
      app, "--ranks-per-node", "R",
      "ranks of a node: splits the machine at hand into virtual nodes; with --nodes, ranks of each node (default 1)",
      options.ranks_per_node, 1, limits::ranks)
      ->group(machine_group);
  add_word(app, "--timeout", "SECONDS", "how long a collective or an exchange may take (default 120)",
           [&options](const auto& name, const auto& word) { options.timeout = parse_seconds(name, word); })
      ->group(machine_group);
}

void add_map_option(CLI::App& app, Options& options) {
  add_text(app, "--machine", "MAP",
           "a machine map: a file (as 'halocline machine --json' writes it), or a name, e.g. summit",
           options.machine_file)
      ->group(machine_group);
}

void add_elsewhere_options(CLI::App& app, Options& options) {
  add_integer(app, "--nodes", "N", "plan for a machine of N identical nodes, or for the first N nodes of --machine",
              options.nodes, 1, limits::nodes)
      ->group(machine_group);
  add_integer(app, "--devices-per-node", "D", "with --nodes: devices of each node (default 1)",
              options.devices_per_node, 1, limits::devices_of_node)
      ->group(machine_group);
}

void add_device_mpi_option(CLI::App& app, Options& options) {
  add_flag(app, "--device-mpi", "with --nodes or --machine: assume that MPI takes device pointers", options.device_mpi)
      ->group(machine_group);
}

void add_mapping_option(CLI::App& app, Options& options) {
  add_text(
      app, "--mapping", "FILE",
      "with --machine: the ranks where 'halocline map --format json' puts them, a rank for each device of the plan",
      options.mapping_file)
      ->group(machine_group);
}

void add_partition_options(CLI::App& app, Options& options) {
  using halocline::partition::Method;
  add_choice(app, "--partition", "METHOD",
             "automatic (default: exact; another grid where links are unequal, where it saves a tenth of the time, or "
             "where it needs fewer messages in the same time), exact, "
             "bisection, z_order, fastest, or given",
             options.partition,
             Choices<Method>{{"automatic", Method::automatic},
                             {"exact", Method::exact},
                             {"bisection", Method::bisection},
                             {"z_order", Method::z_order},
                             {"given", Method::given},
                             {"fastest", Method::fastest}})
      ->group(decision_group);
  using halocline::partition::Ties;
  add_choice(app, "--ties", "WHICH",
             "of equal grids, exact takes the one with the fewest cuts in x (fewest-in-x, default), or the one of the "
             "Astaroth paper's "
             "tables (paper)",
             options.ties, Choices<Ties>{{"fewest-in-x", Ties::fewest_in_x}, {"paper", Ties::paper}})
      ->group(decision_group);
  add_text(app, "--weights", "FILE",
           "a file of numbers above 0, the relative speed of each subdomain's device, in the order of subdomains; or "
           "the word "
           "measured: a kernel is run on each device here, for 0.2 s",
           options.weights_file)
      ->group(decision_group);
  add_words(app, "--node-grid", "X Y Z", 3, "grid of nodes, in each dimension (implies --partition given)",
            [&options](const auto& name, const auto& words) { options.node_grid = parse_extent(name, words); })
      ->group(decision_group);
  add_words(app, "--device-grid", "X Y Z", 3,
            "grid of the devices of a node, in each dimension (implies --partition given)",
            [&options](const auto& name, const auto& words) { options.device_grid = parse_extent(name, words); })
      ->group(decision_group);
}

void add_place_options(CLI::App& app, Options& options) {
  using Place = halocline::placement::Method;
  add_choice(
      app, "--place", "METHOD",
      "automatic (default: fastest where links are unequal, or exact or craft), fastest, system (automatic, then "
      "moves between nodes by the network), trivial, exact, craft, or random",
      options.placement.method,
      Choices<Place>{{"automatic", Place::automatic},
                     {"fastest", Place::fastest},
                     {"system", Place::system},
                     {"trivial", Place::trivial},
                     {"exact", Place::exact},
                     {"craft", Place::craft},
                     {"random", Place::random}})
      ->group(decision_group);
  add_integer(app, "--seed", "N", "seed of --place random (default 0)", options.placement.seed, 0)
      ->group(decision_group);
}

void add_route_options(CLI::App& app, Options& options) {
  using halocline::exchange::Messages;
  add_word(app, "--transports", "NAMES",
           "transports that may be used, in this order, e.g. direct,mpi_staged; or --transports=-direct to forbid one",
           [&options](const auto& name, const auto& word) {
             static_cast<void>(halocline::routing::Policy::parse(word, name + " is"));
             options.transports = word;
           })
      ->group(decision_group);
  add_choice(
      app, "--messages", "HOW",
      "one message for each neighbour: by-neighbour (default); one for each direction: by-direction; by "
      "mpi_staged, one for each rank: by-rank, or for each node: by-node (host devices); or auto: by predicted time",
      options.messages,
      Choices<Messages>{{"by-neighbour", Messages::by_neighbour},
                        {"by-direction", Messages::by_direction},
                        {"by-rank", Messages::by_rank},
                        {"by-node", Messages::by_node},
                        {"auto", Messages::automatic}})
      ->group(decision_group);
}

void add_exchange_options(CLI::App& app, Options& options) {
  add_integer(app, "--sm-budget", "N",
              "multiprocessors of a GPU that exchanges may occupy (default 0: 16 while kernels run, otherwise as many "
              "as help)",
              options.sm_budget, 0, 1'000)
      ->group(decision_group);
  add_integer(app, "--domains-at-once", "N",
              "domains that may exchange on a GPU at once, each with an equal part of its blocks, at most half "
              "(default 2; jacobi3d 1)",
              options.domains_at_once, 1, 64)
      ->group(decision_group);
  add_flag(app, "--launch-threads", "enqueue the work of each device in a thread of its own", options.launch_threads)
      ->group(decision_group);
}

void add_planning_options(CLI::App& app, Options& options, Stage last) {
  if (last >= Stage::partition) {
    add_size_option(app, options);
    add_stencil_options(app, options);
  }
  add_machine_options(app, options);
  add_map_option(app, options);
  add_elsewhere_options(app, options);
  if (last >= Stage::partition) add_partition_options(app, options);
  if (last >= Stage::place) add_place_options(app, options);
  if (last >= Stage::route) {
    add_route_options(app, options);
    add_device_mpi_option(app, options);
  }
  add_output_options(app, options);
}

void add_decision_options(CLI::App& app, Options& options) {
  add_partition_options(app, options);
  add_place_options(app, options);
  add_route_options(app, options);
  add_exchange_options(app, options);
}

void add_trace_option(CLI::App& app, Options& options, const std::string& what) {
  add_text(app, "--trace", "FILE", what + ", as a trace for Perfetto and 'halocline plot'", options.trace);
}

void add_output_options(CLI::App& app, Options& options) {
  add_flag(app, "--json", "print one JSON document instead of text", options.json);
}

void Options::resolve(const halocline::Environment& environment, int ranks) {
  if (no_edges) stencil = stencil.without_edges();
  if (no_corners) stencil = stencil.without_corners();
  if (fields.empty()) fields = parse_fields("--fields", "1xf32");
  for (auto& field : fields) {
    field.staggered = staggered;
    field.x_halos_apart = x_halos_apart;
    if (lattice) hold_populations(field, *lattice);
  }

  if (node_grid || device_grid) {
    if (partition && *partition != halocline::partition::Method::given) {
      refuse_together(fmt::format("--partition {}", to_string(*partition)),
                      node_grid ? "--node-grid" : "--device-grid");
    }
    partition = halocline::partition::Method::given;
  } else if (partition == halocline::partition::Method::given) {
    refuse_without("--partition given", "--node-grid or --device-grid");
  }

  if (placement.seed != 0 && placement.method != halocline::placement::Method::random) {
    refuse_without("--seed", "--place random");
  }
  if (retune && !tune) refuse_without("--retune", "--tune");
  if (mapping_file && (nodes || ranks_per_node)) {
    refuse_together("--mapping",
                    nodes ? "--nodes: the mapping has the ranks" : "--ranks-per-node: the mapping has the ranks");
  }
  if (devices && devices_per_rank) refuse_together("--devices", "--devices-per-rank");
  if (trace && launch_threads) refuse_together("--trace", "--launch-threads");
  if (machine_file && devices_per_node) {
    refuse_together("--devices-per-node", "--machine, whose nodes have their own devices");
  }
  if (measures_weights() && elsewhere()) {
    refuse_together("--weights measured", "--nodes or --machine: the devices of that machine are not here");
  }
  if (devices || devices_per_rank) of_machine_at_hand = devices ? "--devices" : "--devices-per-rank";
  if (backend_kind) of_machine_at_hand = "--backend";
  if ((nodes || devices_per_node) && !of_machine_at_hand.empty()) {
    refuse_together(of_machine_at_hand, "--nodes: --devices-per-node sets the devices of that machine");
  }
  if (devices) {
    if (*devices % ranks != 0 || *devices / ranks > most_devices_of_rank) {
      refuse("--devices", fmt::format("{}", *devices),
             fmt::format("a multiple of the number of ranks, {}, and at most {} a rank", ranks, most_devices_of_rank));
    }
    devices_per_rank = *devices / ranks;
  }
  // A described machine has the ranks that the flags give; the environment is about the machine at hand.
  if (!devices_per_rank) devices_per_rank = environment.devices_per_rank;
  if (!ranks_per_node && !elsewhere()) ranks_per_node = environment.ranks_per_node;
  if (!transports && environment.transports) {
    static_cast<void>(halocline::routing::Policy::parse(*environment.transports, "HALOCLINE_TRANSPORTS is"));
    transports = environment.transports;
  }
  if (!timeout) timeout = environment.timeout;
}

void add_progress_option(CLI::App& app, Options& options) {
  add_choice(app, "--progress", "STYLE",
             "on standard error: auto (default: a bar on a terminal, else lines), bar, lines, off", options.progress,
             Choices<ProgressStyle>{{"auto", ProgressStyle::automatic},
                                    {"bar", ProgressStyle::bar},
                                    {"lines", ProgressStyle::lines},
                                    {"off", ProgressStyle::off}});
}

}  // namespace cli
