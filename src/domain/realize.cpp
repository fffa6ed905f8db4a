// SPDX-License-Identifier: BSD-3-Clause
// The set-up of a domain: plan, allocate, probe, route, connect.
#include <algorithm>
#include <iterator>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "comm/phase.hpp"
#include "comm/uncounted.hpp"
#include "core/log.hpp"
#include "core/version.hpp"
#include "device/launch_threads.hpp"
#include "discovery/discover.hpp"
#include "discovery/speeds.hpp"
#include "domain/detail/agreement.hpp"
#include "domain/detail/domain_impl.hpp"
#include "domain/detail/packet_routes.hpp"
#include "domain/detail/user_memory.hpp"
#include "domain/internals.hpp"
#include "exchange/probe.hpp"
#include "halocline/environment.hpp"
#include "plan/cut.hpp"
#include "plan/from_boxes.hpp"
#include "plan/routed_messages.hpp"
#include "routing/chooser.hpp"
#include "routing/measured.hpp"

namespace halocline {
namespace {

/// Logs one line if ranks of a node, or of a rack, cannot map each other's memory: that costs speed, and the user may be
/// able to change it.
void warn_of_what_is_missing(const exchange::FactTable& facts) {
  std::int64_t pairs = 0;
  bool on_node = true;
  std::string why;
  for (const auto& [pair, known] : facts) {
    if (known.same_rank || !known.shares_load_store || known.mapped.yes) continue;
    if (pairs++ == 0) why = known.mapped.why_not;
    on_node = on_node && known.same_node;
  }
  if (pairs == 0) return;
  log(LogLevel::warning,
      fmt::format("{} pairs of subdomains {} cannot map each other's memory, so their messages go by MPI: {}", pairs,
                  on_node ? "on this node" : "in one load/store domain", why));
}

}  // namespace

void Domain::Impl::make_plan() {
  const comm::Uncounted set_up;
  const comm::Phase phase("plan()");
  comm::agree(users_group(), nullptr);
  if (users_comm != nullptr) {
    owned_comm = users_comm->split(0, static_cast<int>(users_comm->rank().value()));
    comm = owned_comm.get();
  }
  comm->set_timeout(options.timeout);
  comm::agree_on(*comm, [&] {
    check_options();
    flight = std::make_unique<FlightRecorder>(*comm);
    note(EventKind::planning);
  });
  PlanRequest request = plan_request();
  std::vector<NamedValue> compared = values_of(request);
  for (NamedValue& value : values_of(options)) compared.push_back(std::move(value));
  compared.push_back(value_of(reduced, fields));
  compared.push_back(named("version of Halocline", std::string(library_version())));
  compared.push_back(named("decomposition", owned_boxes ? "OwnedBoxes" : "by partition and placement"));
  check_alike(*comm, compared);
  node_comm = comm->split_by_node(options.machine.ranks_per_node);
  node_comm->set_timeout(options.timeout);
  if (options.devices.existing) backend = options.devices.existing->backend();
  const auto own_devices = comm::gather_value(*comm, backend != nullptr);
  if (std::find(own_devices.begin(), own_devices.end(), false) != own_devices.end()) {
    const bool mixed = std::find(own_devices.begin(), own_devices.end(), true) != own_devices.end();
    comm::agree_on(*comm, [&] {
      if (mixed && !backend) {
        throw InvalidArgument("a rank has no devices in its options; allowed are all ranks with devices, or none");
      }
    });
    backend = make_devices(*comm, options.devices, node_comm->size()).backend();
  }
  if (options.internal && options.internal->launch_threads) backend = device::with_launch_threads(std::move(backend));
  const bool virtual_rack = Environment::read().virtual_rack || (options.internal && options.internal->virtual_rack);
  request.machine =
      options.machine.map ? options.machine.map->map() : machine::discover(*comm, *node_comm, *backend, virtual_rack);
  NamedValue planned_for;
  comm::agree_on(*comm, [&] { planned_for = value_of(request.machine); });
  check_alike(*comm, {&planned_for, 1});
  if (options.partition.measure_weights) {
    const machine::Speeds speeds = machine::measure_speeds(*comm, *backend);
    request.speeds = speeds.cells_per_second;
    request.speeds_from = speeds.text();
  }
  std::vector<std::vector<Box>> boxes;
  if (owned_boxes) boxes = comm::gather(*comm, owned_boxes->boxes);
  comm::agree_on(*comm, [&] {
    if (std::cmp_not_equal(request.machine.ranks.size(), comm->size())) {
      throw InvalidArgument(fmt::format("machine '{}' has {} ranks; allowed is the communicator's {}",
                                        request.machine.name, request.machine.ranks.size(), comm->size()));
    }
    if (owned_boxes) {
      GivenBoxes given = from_boxes(boxes, request.machine);
      extent = request.extent = given.extent;
      request.cuts = std::move(given.cuts);
      request.placement.owners = std::move(given.owners);
    }
    plan = halocline::make_plan(request);
    mine = plan->placement.of_rank(comm->rank());
    for (const subdomain_id id : mine) {
      if (plan->placement.of(id).ordinal >= backend->device_count()) {
        throw InvalidArgument(fmt::format("machine '{}' gives this rank more devices than its {}", request.machine.name,
                                          backend->device_count()));
      }
    }
    add_subdomains();
  });
}

void Domain::Impl::add_subdomains() {
  for (std::size_t i = 0; i < mine.size(); ++i) {
    Subdomain subdomain;
    subdomain.domain_ = domain;
    subdomain.position_ = i;
    subdomain.id_ = mine[i];
    subdomain.device_ = plan->placement.of(mine[i]).ordinal;
    subdomain.owned_ = plan->geometry.partition.box_of(mine[i]);
    subdomains.push_back(std::move(subdomain));
  }
  split(Vec3::filled(1));
}

void Domain::Impl::begin_together() {
  if (comm == nullptr || comm->poisoned()) return;
  collectively([this] { comm::agree(*comm, nullptr); });
}

void Domain::Impl::ensure_plan() {
  life().check_open("plan()");
  if (life().state() != LifeCycle::State::made) return;
  together([this] { make_plan(); });
  life().reach(LifeCycle::State::planned);
}

void Domain::Impl::take_user_arrays(Local& local, subdomain_id id) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const auto given = user_arrays.find({field_id(static_cast<std::int64_t>(f)), id});
    if (given == user_arrays.end()) continue;
    for (int buffer = 0; buffer < fields[f].buffers; ++buffer) {
      const auto array = given->second.find(buffer);
      if (array == given->second.end()) {
        throw InvalidArgument(
            fmt::format("field '{}' of subdomain {} has an own array for some buffers, but not for buffer {}; "
                        "allowed are all buffers or none",
                        fields[f].name, id.value(), buffer));
      }
      local.arrays[f][static_cast<std::size_t>(buffer)] = array->second;
      const field_id field(static_cast<std::int64_t>(f));
      const auto storable =
          check_user_memory(*backend, plan->placement.of(id).ordinal, {fields[f].name, id}, array->second,
                            {fields[f], plan->geometry.owned(field, id), plan->geometry.with_halo(field, id)});
      if (!storable.yes) local.storable = storable;
    }
  }
}

void Domain::Impl::check_user_arrays() const {
  for (const auto& [key, arrays] : user_arrays) {
    const auto& [field, given] = key;
    for (const subdomain_id id : mine) {
      if (user_arrays.contains({field, id})) continue;
      throw InvalidArgument(
          fmt::format("field '{}' has an own array for subdomain {}, but not for subdomain {}; allowed are all of this "
                      "rank's subdomains or none",
                      fields[field.index()].name, given.value(), id.value()));
    }
  }
}

/// Makes arrays, streams, and everything else that a rank makes without communication.
void Domain::Impl::allocate() {
  check_user_arrays();
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const subdomain_id id = mine[i];
    const int device = plan->placement.of(id).ordinal;
    Local local;
    std::vector<bool> ours;  // fields in the user's own memory need none of Halocline's
    for (std::size_t f = 0; f < fields.size(); ++f) {
      ours.push_back(!user_arrays.contains({field_id(static_cast<std::int64_t>(f)), id}));
    }
    local.arena = make_arena(*backend, device, plan->geometry, id, ours);
    local.arrays = local.arena.arrays;
    take_user_arrays(local, id);
    local.stream = backend->create_stream(device);
    subdomains[i].stream_ = local.stream.get();
    streams.push_back(local.stream.get());
    marks.push_back(backend->create_event(device));
    locals.push_back(std::move(local));
  }
  current.assign(fields.size(), 0);
  make_reductions();
}

Domain::Impl::Memory Domain::Impl::memory() const {
  Memory memory{&plan->geometry, {}, {}, {}};
  for (std::size_t i = 0; i < mine.size(); ++i) {
    memory.storable.push_back(locals[i].storable);
    memory.subdomains.push_back({.id = mine[i],
                                 .device = plan->placement.of(mine[i]).ordinal,
                                 .arrays = locals[i].arrays,
                                 .allocation = locals[i].arena.buffer.get()});
    export_arrays(i, memory);
  }
  return memory;
}

void Domain::Impl::export_arrays(std::size_t place, Memory& memory) const {
  exchange::LocalSubdomain& subdomain = memory.subdomains[place];
  std::vector<std::vector<exchange::ExportedArray>> all;
  std::vector<std::shared_ptr<const void>> held;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    auto& buffers = all.emplace_back(static_cast<std::size_t>(fields[f].buffers));
    const field_id field(static_cast<std::int64_t>(f));
    if (!user_arrays.contains({field, subdomain.id})) continue;
    const UserCells cells{fields[f], plan->geometry.owned(field, subdomain.id),
                          plan->geometry.with_halo(field, subdomain.id)};
    for (std::size_t buffer = 0; buffer < buffers.size(); ++buffer) {
      ExportedUserArray exported{Verdict::of(false, "there is no other rank")};
      if (comm->size() > 1) {
        exported = export_user_array(*backend, subdomain.device, {fields[f].name, subdomain.id},
                                     subdomain.arrays[f][buffer], cells);
      }
      if (!exported.possible.yes) {
        memory.exportable.push_back(std::move(exported.possible));
        subdomain.allocation = nullptr;
        return;
      }
      buffers[buffer] = std::move(exported.array);
      held.push_back(std::move(exported.held));
    }
  }
  memory.exportable.push_back(Verdict::of(true));
  subdomain.exported = std::move(all);
  std::ranges::move(held, std::back_inserter(memory.held));
}

std::unique_ptr<exchange::Exchange> Domain::Impl::connect(comm::RankGroup& group, Memory memory,
                                                          std::vector<RoutedMessage>& routed,
                                                          std::vector<routing::Route>* both_ways) {
  std::vector<std::unique_ptr<device::Mapping>> kept;
  auto facts = exchange::probe_pairs(
      {.comm = &group,
       .backend = backend.get(),
       .geometry = memory.geometry,
       .placement = &plan->placement,
       .exportable = memory.exportable,
       .storable = memory.storable,
       .share_load_store =
           [&](const placement::Slot& a, const placement::Slot& b) {
             return plan->machine.share_load_store(a.node, a.device, b.node, b.device);
           },
       .uuid = [&](const placement::Slot& slot) { return plan->machine.uuid_of(slot.node, slot.device); },
       .communicators = may_use(options.routing.policy, routing::Transport::nccl),
       .subdomains = memory.subdomains,
       .kept = &kept});
  exchange::Setup setup{.comm = &group,
                        .node_comm = node_comm.get(),
                        .parent = users_comm,
                        .backend = backend.get(),
                        .geometry = memory.geometry,
                        .placement = &plan->placement,
                        .routes = {},
                        .subdomains = std::move(memory.subdomains),
                        .tuning = options.tuning,
                        .messages = messages(),
                        .network = may_use(options.routing.policy, routing::Transport::net)
                                       ? std::optional(options.routing.net_engine)
                                       : std::nullopt,
                        .communicators = may_use(options.routing.policy, routing::Transport::nccl),
                        .validate_ordering = options.debug.validate_ordering,
                        .timeout = options.timeout,
                        .self_in_place = memory.self_in_place,
                        .in_turn_with = memory.in_turn_with,
                        .tracer = exchange ? nullptr : tracer.get(),
                        .recorder = &flight->recorder(),
                        .recorded_as = memory.recorded_as};
  if (!exchange) warn_of_what_is_missing(facts);
  comm::agree_on(group, [&] {
    routing::Chooser chooser(options.routing.policy);
    routing::MeasuredPairs measured(plan->machine);
    for (auto& [pair, known] : facts) {
      known.measured = measured.between(plan->placement.of(pair.from), plan->placement.of(pair.to));
      setup.routes.push_back(chooser.choose(pair.from, pair.to, known));
      decide_packets(setup.routes.back(), backend->kind(), options.internal && options.internal->host_packets,
                     plan->machine, plan->placement.of(pair.from), plan->placement.of(pair.to));
    }
    routed = routed_messages(*memory.geometry, plan->placement, mine, setup.routes, messages());
    if (both_ways != nullptr) *both_ways = setup.routes;
  });
  auto made = std::make_unique<exchange::Exchange>(std::move(setup));
  if (messages() == routing::Messages::by_node) {
    // The rank that sends a node's bundle counts it.
    std::set<std::pair<subdomain_id, subdomain_id>> following;
    for (const exchange::TracedMessage& message : made->messages()) {
      if (message.follows) following.emplace(message.from, message.to);
    }
    for (RoutedMessage& one : routed) one.messages = following.contains({one.route.from, one.route.to}) ? 0 : 1;
  }
  return made;
}

void Domain::Impl::route_and_connect() {
  Memory all;
  comm::agree_on(*comm, [&] {
    if (options.internal && options.internal->trace) {
      if (options.internal->launch_threads) throw InvalidArgument("trace is set; allowed is without launch_threads");
      tracer = std::make_unique<device::Tracer>(*backend);
    }
    all = memory();
  });
  choose_messages();
  std::vector<routing::Route> both_ways;
  exchange = connect(*comm, std::move(all), routes, &both_ways);
  connect_reductions();
  slow_paths.reset();
  // The check of order takes many times the time of an exchange.
  if (options.slow_paths && !options.debug.validate_ordering) {
    slow_paths = std::make_unique<SlowPathWatch>(*backend, std::move(both_ways));
  }
}

void Domain::realize() {
  impl_->life().check_open("realize()");
  if (impl_->life().state() == LifeCycle::State::realized) {
    throw InvalidArgument("realize() was called before; allowed is once");
  }
  const comm::Uncounted set_up;
  const comm::Phase phase("realize()");
  impl_->ensure_plan();
  impl_->together([this] {
    impl_->note(EventKind::allocating);
    comm::agree_on(*impl_->comm, [this] { impl_->allocate(); });
    impl_->note(EventKind::connecting);
    impl_->route_and_connect();
    if (impl_->options.time_exchanges) impl_->timer = std::make_unique<ExchangeTimer>(*impl_->backend);
  });
  impl_->life().reach(LifeCycle::State::realized);
  impl_->note(EventKind::realized);
}

}  // namespace halocline
