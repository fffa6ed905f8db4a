// How a domain comes into being: plan, allocate, probe, route, connect.
#include <algorithm>

#include "domain/cut.hpp"
#include "domain/domain_impl.hpp"
#include "domain/routes.hpp"
#include "halocline/core/log.hpp"
#include "halocline/device/launch_threads.hpp"
#include "halocline/domain/backend.hpp"
#include "halocline/exchange/probe.hpp"
#include "halocline/machine/discover.hpp"
#include "halocline/routing/chooser.hpp"
#include "halocline/routing/measured.hpp"

namespace halocline {
namespace {

/// One line where the ranks of a node cannot map each other's memory: it costs speed, and the user may be able to
/// change it.
void warn_of_what_is_missing(const exchange::FactTable& facts) {
  std::int64_t pairs = 0;
  std::string why;
  for (const auto& [pair, known] : facts) {
    if (known.same_rank || !known.same_node || known.mapped.yes) continue;
    if (pairs++ == 0) why = known.mapped.why_not;
  }
  if (pairs == 0) return;
  log(LogLevel::warning,
      fmt::format("{} pairs of subdomains on this node cannot map each other's memory, so their messages go by MPI: {}",
                  pairs, why));
}

}  // namespace

void Domain::Impl::make_plan() {
  if (users_comm != nullptr) {
    owned_comm = users_comm->split(0, static_cast<int>(users_comm->rank().value()));
    comm = owned_comm.get();
  }
  comm->set_timeout(options.timeout);
  node_comm = comm->split_by_node(options.ranks_per_node);
  node_comm->set_timeout(options.timeout);
  comm::agree_on(*comm, [&] {
    if (fields.empty()) throw InvalidArgument("the domain has no fields; allowed are 1 or more (add_field)");
  });
  backend = options.backend;
  const auto own_devices = comm->all_gather_value(backend != nullptr);
  if (std::find(own_devices.begin(), own_devices.end(), false) != own_devices.end()) {
    const bool mixed = std::find(own_devices.begin(), own_devices.end(), true) != own_devices.end();
    comm::agree_on(*comm, [&] {
      if (mixed && !backend) throw InvalidArgument("a rank has no backend; allowed are all ranks with one, or none");
    });
    backend = make_backend(*comm, {.kind = options.backend_kind,
                                   .devices_per_rank = options.devices_per_rank,
                                   .host_workers = options.host_workers,
                                   .ranks_on_node = node_comm->size()});
  }
  if (options.launch_threads) backend = device::with_launch_threads(std::move(backend));
  PlanRequest request{.extent = extent,
                      .radius = radius,
                      .fields = fields,
                      .boundaries = options.boundaries,
                      .machine = {},
                      .partition = options.partition,
                      .node_grid = options.node_grid,
                      .device_grid = options.device_grid,
                      .weights = options.weights,
                      .row_limits = {options.tuning.short_row_bytes, options.tuning.pack_short_rows_from_bytes,
                                     options.tuning.packets_at_most_bytes},
                      .placement = options.placement,
                      .halo_multiplier = options.halo_multiplier};
  request.machine = options.machine ? *options.machine : machine::discover(*comm, *node_comm, *backend);
  std::uint64_t hash = 0;
  comm::agree_on(*comm, [&] { hash = request.hash(); });
  const auto hashes = comm->all_gather_value(hash);
  comm::agree_on(*comm, [&] {
    for (std::size_t rank = 0; rank < hashes.size(); ++rank) {
      if (hashes[rank] != hashes[0]) {
        throw InvalidArgument(
            fmt::format("rank {} asks for another domain than rank 0 (extent, radius, fields, options and "
                        "machine map must be the same on all ranks)",
                        rank));
      }
    }
    if (std::cmp_not_equal(request.machine.ranks.size(), comm->size())) {
      throw InvalidArgument(fmt::format("machine '{}' has {} ranks; allowed is the communicator's {}",
                                        request.machine.name, request.machine.ranks.size(), comm->size()));
    }
    plan = halocline::make_plan(request);
    keep_halos(plan->geometry, radius, fields);
    mine = plan->placement.of_rank(comm->rank());
    for (const subdomain_id id : mine) {
      if (plan->placement.of(id).ordinal >= backend->device_count()) {
        throw InvalidArgument(fmt::format("machine '{}' gives this rank more devices than its {}", request.machine.name,
                                          backend->device_count()));
      }
    }
  });
}

void Domain::Impl::close_groups() {
  for (auto* group : {&node_comm, &owned_comm}) {
    if (*group) (*group)->close();
    group->reset();
  }
  comm = nullptr;
}

void Domain::Impl::take_user_arrays(Local& local, subdomain_id id) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const auto given = user_arrays.find({field_id(static_cast<std::int64_t>(f)), id});
    if (given == user_arrays.end()) continue;
    for (int set = 0; set < fields[f].buffers; ++set) {
      const auto array = given->second.find(set);
      if (array == given->second.end()) {
        throw InvalidArgument(
            fmt::format("field '{}' of subdomain {} has an own array for some sets, but not for set {}; "
                        "allowed are all sets or none",
                        fields[f].name, id.value(), set));
      }
      local.arrays[f][static_cast<std::size_t>(set)] = array->second;
    }
  }
}

void Domain::Impl::allocate() {
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
    locals.push_back(std::move(local));
  }
  current.assign(fields.size(), 0);
  exchanged.assign(fields.size(), false);
  for (const FieldDescriptor& descriptor : fields) {
    stored.emplace_back(static_cast<std::size_t>(descriptor.buffers));
  }
}

void Domain::Impl::route_and_connect() {
  std::vector<routing::Answer> exportable;
  for (const subdomain_id id : mine) {
    std::string own;
    for (const auto& [key, arrays] : user_arrays) {
      if (key.second == id) own = plan->geometry.fields[key.first.index()].name;
    }
    exportable.push_back(
        routing::Answer::of(own.empty(), fmt::format("field '{}' is the user's own array, which others "
                                                     "cannot map",
                                                     own)));
  }
  auto facts = exchange::probe_pairs({.comm = comm,
                                      .backend = backend.get(),
                                      .geometry = &plan->geometry,
                                      .placement = &plan->placement,
                                      .exportable = exportable});
  exchange::Setup setup{.comm = comm,
                        .node_comm = node_comm.get(),
                        .parent = users_comm,
                        .backend = backend.get(),
                        .geometry = &plan->geometry,
                        .placement = &plan->placement,
                        .routes = {},
                        .subdomains = {},
                        .tuning = options.tuning,
                        .messages = options.messages,
                        .check_order = options.check_order,
                        .timeout = options.timeout};
  warn_of_what_is_missing(facts);
  comm::agree_on(*comm, [&] {
    routing::Chooser chooser(options.policy);
    routing::MeasuredPairs measured(plan->machine);
    for (auto& [pair, known] : facts) {
      known.measured = measured.between(plan->placement.of(pair.from), plan->placement.of(pair.to));
      setup.routes.push_back(chooser.choose(pair.from, pair.to, known));
    }
    routes = routed_messages(plan->geometry, mine, setup.routes);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      setup.subdomains.push_back({mine[i], plan->placement.of(mine[i]).ordinal, locals[i].arrays,
                                  exportable[i].yes ? locals[i].arena.buffer.get() : nullptr});
    }
  });
  exchange = std::make_unique<exchange::Exchange>(std::move(setup));
}

void Domain::realize() {
  if (impl_->realized) throw InvalidArgument("realize() was called before; allowed is once");
  plan();
  impl_->together([this] {
    comm::agree_on(*impl_->comm, [this] { impl_->allocate(); });
    impl_->route_and_connect();
  });
  const auto& geometry = impl_->plan->geometry;
  for (std::size_t i = 0; i < impl_->mine.size(); ++i) {
    Subdomain view;
    view.domain_ = this;
    view.position_ = i;
    view.id_ = impl_->mine[i];
    view.device_ = impl_->plan->placement.of(view.id_).ordinal;
    view.owned_ = geometry.partition.box_of(view.id_);
    view.stream_ = impl_->locals[i].stream.get();
    impl_->subdomains.push_back(std::move(view));
    impl_->streams.push_back(impl_->locals[i].stream.get());
    impl_->marks.push_back(impl_->backend->create_event(impl_->locals[i].stream->device()));
  }
  impl_->split(Vec3::filled(1));
  impl_->realized = true;
}

}  // namespace halocline
