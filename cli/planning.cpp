// SPDX-License-Identifier: BSD-3-Clause
#include "planning.hpp"
#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "halocline/environment.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "comm/agree.hpp"
#include "core/limits.hpp"
#include "core/log.hpp"
#include "discovery/discover.hpp"
#include "discovery/speeds.hpp"
#include "halocline/devices.hpp"
#include "halocline/error.hpp"
#include "io/json.hpp"
#include "machine/synthetic.hpp"
#include "machine_maps.hpp"
#include "mapping.hpp"
#include "parse.hpp"
#include "plan/routed_messages.hpp"
#include "tuning.hpp"

namespace cli {
namespace {

using namespace halocline;

void keep_first(machine::MachineMap& map, std::int64_t nodes) {
  const std::int64_t there = std::ssize(map.nodes);
  if (nodes > there) {
    refuse("--nodes", fmt::format("{}", nodes), fmt::format("1 to {}, the nodes of machine '{}'", there, map.name));
  }
  keep_nodes(map, nodes);
}

machine::MachineMap described_machine(const Options& options) {
  if (!options.machine_file) {
    return machine::synthetic(
        {options.nodes.value_or(1), options.devices_per_node.value_or(1), options.ranks_per_node.value_or(1)});
  }
  auto map = read_machine(*options.machine_file);
  if (options.nodes) keep_first(map, *options.nodes);
  if (options.ranks_per_node || map.ranks.empty()) {
    machine::assign_ranks(map, options.ranks_per_node.value_or(1));
  }
  return map;
}

machine::MachineMap discovered_machine(Context& context) {
  const auto node = context.world.split_by_node(context.options.ranks_per_node);
  machine::MachineMap map;
  try {
    const auto backend = backend_of(context, *node);
    map = machine::discover(context.world, *node, *backend, halocline::Environment::read().virtual_rack);
  } catch (const Error&) {
    node->close();  // all ranks throw the same
    throw;
  }
  node->close();
  return map;
}

/// What --weights has; empty without it.
std::vector<double> weights_of(const Options& options) {
  std::vector<double> weights;
  if (!options.weights_file || options.measures_weights()) return weights;
  std::ifstream in(*options.weights_file);
  std::string word;
  while (in >> word && std::cmp_less_equal(weights.size(), limits::devices)) {
    const std::string name = fmt::format("number {} of --weights {}", weights.size() + 1, *options.weights_file);
    weights.push_back(parse_positive(name, word, 1e9));
  }
  if (weights.empty())
    refuse("--weights", *options.weights_file, "a file that can be read, of a number for each device");
  return weights;
}

PlanRequest plan_request(const Options& options, machine::MachineMap map) {
  PlanRequest request;
  request.extent = options.size;
  request.stencil = options.stencil;
  request.fields = options.fields;
  request.boundaries = options.boundaries;
  request.machine = std::move(map);
  request.partition = options.partition.value_or(request.partition);
  request.ties = options.ties;
  request.weights = weights_of(options);
  request.node_grid = options.node_grid;
  request.device_grid = options.device_grid;
  request.placement = options.placement;
  if (options.transports) request.policy = routing::Policy::parse(*options.transports);
  request.device_mpi = options.device_mpi;
  request.steps_per_exchange = options.steps_per_exchange;
  return request;
}

routing::Policy policy_of(const Options& options) {
  return options.transports ? routing::Policy::parse(*options.transports) : routing::Policy{};
}

/// The plan for as many devices as the mapping has ranks, with each rank at its seat.
Plan mapped_plan(const Options& options) {
  const machine::MachineMap map = read_machine(*options.machine_file);
  const std::vector<mapping::Seat> seats = read_mapping_file(*options.mapping_file, map);
  const std::int64_t devices = map.devices_of(node_id(0));
  const auto ranks = std::ssize(seats);
  if (devices == 0 || ranks % devices != 0 || ranks / devices > std::ssize(map.nodes)) {
    refuse("--mapping", fmt::format("of {} ranks", ranks),
           fmt::format("one with a rank for each device of some nodes of '{}', which have {} each", map.name, devices));
  }
  Plan plan = plan_of_ranks_with_one_device(options, map, ranks / devices);
  plan.machine = map;
  plan.machine.ranks.clear();
  for (const mapping::Seat& seat : seats) {
    plan.machine.ranks.push_back({node_id(seat.node), {device_id(seat.device)}});
  }
  for (placement::Slot& slot : plan.placement.slots) {
    const mapping::Seat& seat = seats[slot.rank.index()];
    slot.node = node_id(seat.node);
    slot.device = device_id(seat.device);
  }
  return plan;
}

RoutedPlan with_assumed_routes(const Options& options, Plan plan) {
  const bool chosen = options.messages == routing::Messages::automatic;
  auto routes = assumed_routes(plan, policy_of(options), options.device_mpi, {},
                               chosen ? std::optional<routing::Messages>() : options.messages);
  RoutedPlan found{std::move(plan), std::move(routes), true};
  decide_messages(options, found);
  return found;
}

}  // namespace

Plan plan_of_ranks_with_one_device(const Options& options, machine::MachineMap map, std::int64_t nodes) {
  keep_first(map, nodes);
  const std::int64_t devices = map.devices_of(node_id(0));
  for (std::int64_t n = 0; n < nodes; ++n) {
    const std::int64_t here = map.devices_of(node_id(n));
    if (here > 0 && here == devices) continue;
    throw InvalidArgument(
        fmt::format("node '{}' has {} devices, '{}' {}; a plan with a rank for each takes nodes with the "
                    "same number, 1 or more",
                    map.nodes[static_cast<std::size_t>(n)].name, here, map.nodes.front().name, devices));
  }
  machine::assign_ranks(map, devices);
  return make_plan(plan_request(options, std::move(map)));
}

void keep_nodes(machine::MachineMap& map, std::int64_t nodes) {
  map.nodes.resize(static_cast<std::size_t>(nodes));
  std::erase_if(map.ranks, [nodes](const machine::RankEntry& rank) { return rank.node.value() >= nodes; });
}

std::shared_ptr<device::Backend> backend_of(Context& context, const comm::RankGroup& node) {
  return make_devices(context.world,
                      {.kind = context.options.backend_kind,
                       .per_rank = context.options.devices_per_rank,
                       .host_workers = context.environment.host_workers.value_or(0)},
                      node.size())
      .backend();
}

machine::MachineMap machine_of(Context& context) {
  const Options& options = context.options;
  if (!options.elsewhere()) return discovered_machine(context);
  if (options.machine_file && !options.of_machine_at_hand.empty()) {
    refuse_together(options.of_machine_at_hand, "--machine: the plan is for the devices of that machine");
  }
  machine::MachineMap map;
  // A file may be there on one rank's node and not on another's.
  comm::agree_on(context.world, [&] { map = described_machine(options); });
  return map;
}

PlanRequest plan_request_of(Context& context) {
  PlanRequest request = plan_request(context.options, machine_of(context));
  if (!context.options.measures_weights()) return request;
  const auto node = context.world.split_by_node(context.options.ranks_per_node);
  const auto backend = backend_of(context, *node);
  node->close();
  const machine::Speeds speeds = machine::measure_speeds(context.world, *backend);
  request.speeds = speeds.cells_per_second;
  request.speeds_from = speeds.text();
  return request;
}

Plan plan_of(Context& context) { return make_plan(plan_request_of(context)); }

DomainOptions domain_options(const Context& context) {
  const Options& options = context.options;
  DomainOptions domain = DomainOptions::from(context.environment);
  domain.boundaries = options.boundaries;
  domain.steps_per_exchange = options.steps_per_exchange;
  domain.devices.kind = options.backend_kind;
  domain.devices.per_rank = options.devices_per_rank;
  domain.machine.ranks_per_node = options.ranks_per_node;
  if (options.machine_file) domain.machine.map = read_machine(*options.machine_file);
  domain.partition.method = options.partition.value_or(domain.partition.method);
  domain.partition.ties = options.ties;
  domain.partition.weights = weights_of(options);
  domain.partition.measure_weights = options.measures_weights();
  domain.partition.node_grid = options.node_grid;
  domain.partition.device_grid = options.device_grid;
  domain.placement = options.placement;
  if (options.transports) domain.routing.policy = routing::Policy::parse(*options.transports);
  domain.timeout = *options.timeout;
  domain.internal = std::make_shared<InternalOptions>(
      InternalOptions{.launch_threads = options.launch_threads, .trace = options.trace.has_value()});
  domain.routing.messages = options.messages.value_or(domain.routing.messages);
  domain.tuning.multiprocessors = options.sm_budget;
  domain.tuning.domains_at_once = options.domains_at_once.value_or(domain.tuning.domains_at_once);
  return domain;
}

void log_plan(const Context& context, const Plan& plan) {
  if (!context.root()) return;
  const std::string text =
      explain_machine(plan.machine) + explain_partition(plan) + explain_placement(plan) + explain_balance(plan);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    log(LogLevel::info, std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
}

MessageRanking ranking_of(const Plan& plan, const routing::Policy& policy, bool device_mpi) {
  const bool host = std::ranges::all_of(plan.machine.types, [](const machine::NodeType& type) {
    return std::ranges::all_of(type.device_vertices(), [&type](int device) {
      return type.vertices[static_cast<std::size_t>(device)].name.starts_with("host device");
    });
  });
  return rank_messages(plan, policy, {.device_mpi = device_mpi, .by_node = host});
}

void decide_messages(const Options& options, RoutedPlan& found) {
  found.messages = options.messages.value_or(found.messages);
  if (found.messages != routing::Messages::automatic) return;
  found.ranking = ranking_of(found.plan, policy_of(options), options.device_mpi);
  found.messages = found.ranking->chosen;
  for (RoutedMessage& message : found.routes) message.messages = 1;
  count_messages(found.plan.geometry, found.plan.placement, found.messages, found.routes);
}

RoutedPlan routed_plan_of(Context& context) {
  const Options& options = context.options;
  if (options.tune && options.elsewhere()) {
    refuse_together("--tune", "--nodes or --machine: that machine is not here to try anything");
  }
  if (options.mapping_file) {
    if (!options.machine_file) refuse_without("--mapping", "--machine: the machine that the ranks were mapped to");
    std::optional<Plan> plan;
    comm::agree_on(context.world, [&] { plan = mapped_plan(options); });
    return with_assumed_routes(options, std::move(*plan));
  }
  if (options.elsewhere()) return with_assumed_routes(options, plan_of(context));
  if (options.device_mpi) refuse_without("--device-mpi", "--nodes or --machine: here MPI is tried");
  Domain domain(options.size, options.stencil, context.world, domain_options(context));
  for (const auto& field : options.fields) domain.add_field(field);
  tune_if_asked(context, domain);
  domain.realize();
  RoutedPlan found{internals(domain).plan(), internals(domain).gather_routes(), false, tuned_line(domain)};
  found.messages = options.messages.value_or(found.messages);
  if (const MessageRanking* ranking = internals(domain).message_ranking()) {
    found.ranking = *ranking;
    found.messages = ranking->chosen;
  }
  domain.close();
  return found;
}

std::vector<Share> shares_of(std::span<const RoutedMessage> routes) {
  std::vector<Share> shares;
  for (const auto transport : routing::all_transports) {
    Share share{transport, 0, 0};
    for (const auto& message : routes) {
      if (message.route.transport != transport) continue;
      share.messages += message.messages;
      share.bytes += message.bytes;
    }
    if (share.messages > 0) shares.push_back(share);
  }
  return shares;
}

std::vector<Share> shares_of_all_ranks(Domain& domain) {
  std::vector<Share> shares;
  for (const auto transport : routing::all_transports) {
    const auto mine = internals(domain).traffic(transport);
    std::array<std::int64_t, 2> counts{mine.messages, mine.bytes};
    domain.plan().comm.all_reduce(std::span<std::int64_t>(counts), comm::Reduction::sum);
    if (counts[0] > 0) shares.push_back({transport, counts[0], counts[1]});
  }
  return shares;
}

}  // namespace cli
