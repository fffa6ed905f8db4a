#include "halocline/domain/domain.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "domain/arena.hpp"
#include "domain/routes.hpp"
#include "halocline/comm/twins.hpp"
#include "halocline/core/leak.hpp"
#include "halocline/core/log.hpp"
#include "halocline/device/host.hpp"
#include "halocline/exchange/probe.hpp"
#include "halocline/machine/discover.hpp"

namespace halocline {

/// What a domain holds, in the order in which it comes into being; destroyed in the opposite order.
class Domain::Impl {
 public:
  Impl(const Vec3& extent_in, const Radius& radius_in, DomainOptions options_in)
      : extent(extent_in), radius(radius_in), options(std::move(options_in)) {}

  Vec3 extent;
  Radius radius;
  DomainOptions options;
  std::vector<FieldDescriptor> fields;

  std::unique_ptr<comm::Communicator> owned_comm;
  comm::Communicator* comm = nullptr;
  std::unique_ptr<comm::Communicator> node_comm;
  std::shared_ptr<device::Backend> backend;
  std::optional<Plan> plan;

  /// A local subdomain's memory and stream. Arrays are the arena's, or the user's own where given.
  struct Local {
    Arena arena;
    std::vector<std::vector<exchange::Array>> arrays;
    std::unique_ptr<device::Stream> stream;
    Subdomain view;
  };
  std::vector<subdomain_id> mine;
  std::map<std::pair<field_id, subdomain_id>, std::map<int, exchange::Array>> user_arrays;
  std::vector<Local> locals;
  std::vector<Subdomain> subdomains;
  std::vector<device::Stream*> streams;
  std::vector<int> current;
  std::vector<RoutedMessage> routes;
  std::unique_ptr<exchange::Exchange> exchange;
  std::vector<field_id> exchanging;
  BoundaryFill fill;
  bool realized = false;
  bool closed = false;

  void check_before_plan(const char* what) const {
    if (plan) throw InvalidArgument(fmt::format("{} after plan() or realize(); allowed is before", what));
  }
  void check_realized(const char* what) const {
    if (closed) throw InvalidArgument(fmt::format("{} after close(); allowed is before", what));
    if (!realized) throw InvalidArgument(fmt::format("{} before realize(); allowed is after", what));
  }
  const FieldDescriptor& field(field_id id) const {
    if (id.value() < 0 || std::cmp_greater_equal(id.value(), fields.size())) {
      throw InvalidArgument(fmt::format("field is {}; allowed are 0 to {}", id.value(),
                                        static_cast<std::int64_t>(fields.size()) - 1));
    }
    return fields[id.index()];
  }

  void make_plan();
  void allocate();
  void take_user_arrays(Local& local, subdomain_id id);
  void route_and_connect();
  [[nodiscard]] Box domain_box(field_id id) const;
  [[nodiscard]] exchange::Selection selection(std::span<const field_id> which) const;
};

void Domain::Impl::make_plan() {
  comm->set_timeout(options.timeout);
  node_comm = comm->split_by_node(options.ranks_per_node);
  node_comm->set_timeout(options.timeout);
  comm::agree_on(*comm, [&] {
    if (fields.empty()) throw InvalidArgument("the domain has no fields; allowed are 1 or more (add_field)");
    backend = options.backend;
    if (!backend) {
      device::HostOptions host;
      host.devices = options.devices_per_rank;
      host.ranks_on_node = node_comm->size();
      host.clock = &comm->clock();
      backend = device::make_host_backend(host);
    }
  });
  PlanRequest request{.extent = extent,
                      .radius = radius,
                      .fields = fields,
                      .boundaries = options.boundaries,
                      .machine = {},
                      .partition = options.partition,
                      .node_grid = options.node_grid,
                      .device_grid = options.device_grid,
                      .weights = options.weights,
                      .placement = options.placement};
  request.machine = options.machine ? *options.machine : machine::discover(*comm, *node_comm, *backend);
  const auto hashes = comm->all_gather_value(request.hash());
  comm::agree_on(*comm, [&] {
    for (std::size_t rank = 0; rank < hashes.size(); ++rank) {
      if (hashes[rank] != hashes[0]) {
        throw InvalidArgument(fmt::format("rank {} asks for another domain than rank 0 (extent, radius, fields and options "
                                          "must be the same on all ranks)",
                                          rank));
      }
    }
    if (std::cmp_not_equal(request.machine.ranks.size(), comm->size())) {
      throw InvalidArgument(fmt::format("machine '{}' has {} ranks; allowed is the communicator's {}",
                                        request.machine.name, request.machine.ranks.size(), comm->size()));
    }
    plan = halocline::make_plan(request);
    mine = plan->placement.of_rank(comm->rank());
    for (const subdomain_id id : mine) {
      if (plan->placement.of(id).ordinal >= backend->device_count()) {
        throw InvalidArgument(fmt::format("machine '{}' gives this rank more devices than its {}", request.machine.name,
                                          backend->device_count()));
      }
    }
  });
}

void Domain::Impl::take_user_arrays(Local& local, subdomain_id id) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const auto given = user_arrays.find({field_id(static_cast<std::int64_t>(f)), id});
    if (given == user_arrays.end()) continue;
    for (int set = 0; set < fields[f].buffers; ++set) {
      const auto array = given->second.find(set);
      if (array == given->second.end()) {
        throw InvalidArgument(fmt::format("field '{}' of subdomain {} has an own array for some sets, but not for set {}; "
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
}

void Domain::Impl::route_and_connect() {
  std::vector<routing::Answer> exportable;
  for (const subdomain_id id : mine) {
    std::string own;
    for (const auto& [key, arrays] : user_arrays) {
      if (key.second == id) own = plan->geometry.fields[key.first.index()].name;
    }
    exportable.push_back(routing::Answer::of(own.empty(), fmt::format("field '{}' is the user's own array, which others "
                                                                      "cannot map",
                                                                      own)));
  }
  const auto facts = exchange::probe_pairs({.comm = comm,
                                            .node_comm = node_comm.get(),
                                            .backend = backend.get(),
                                            .geometry = &plan->geometry,
                                            .placement = &plan->placement,
                                            .exportable = exportable});
  exchange::Setup setup{.comm = comm,
                        .node_comm = node_comm.get(),
                        .backend = backend.get(),
                        .geometry = &plan->geometry,
                        .placement = &plan->placement,
                        .routes = {},
                        .subdomains = {},
                        .timeout = options.timeout};
  comm::agree_on(*comm, [&] {
    for (const auto& [pair, known] : facts) {
      setup.routes.push_back(routing::choose(pair.from, pair.to, known, options.policy));
    }
    routes = routed_messages(plan->geometry, mine, setup.routes);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      setup.subdomains.push_back({mine[i], plan->placement.of(mine[i]).ordinal, locals[i].arrays,
                                  exportable[i].yes ? locals[i].arena.buffer.get() : nullptr});
    }
  });
  exchange = std::make_unique<exchange::Exchange>(std::move(setup));
}

Box Domain::Impl::domain_box(field_id id) const {
  Box box = Box::of_extent(extent);
  for (int dim = 0; dim < 3; ++dim) {
    const auto d = static_cast<std::size_t>(dim);
    if (fields[id.index()].staggered[d] && options.boundaries[d] == Boundary::open) ++box.hi[dim];
  }
  return box;
}

exchange::Selection Domain::Impl::selection(std::span<const field_id> which) const {
  exchange::Selection selection;
  for (const field_id id : which) {
    static_cast<void>(field(id));  // refuses one that is not there
    selection.items.push_back({id, current[id.index()]});
  }
  std::sort(selection.items.begin(), selection.items.end(),
            [](const auto& a, const auto& b) { return a.field < b.field; });
  return selection;
}

Domain::Domain(const Vec3& extent, const Radius& radius, DomainOptions options)
    : Domain(extent, radius, comm::serial(), std::move(options)) {}

Domain::Domain(const Vec3& extent, const Radius& radius, std::unique_ptr<comm::Communicator> comm,
               DomainOptions options)
    : impl_(std::make_unique<Impl>(extent, radius, std::move(options))) {
  impl_->owned_comm = std::move(comm);
  impl_->comm = impl_->owned_comm.get();
}

Domain::Domain(const Vec3& extent, const Radius& radius, comm::Communicator& comm, DomainOptions options)
    : impl_(std::make_unique<Impl>(extent, radius, std::move(options))) {
  impl_->comm = &comm;
}

Domain::~Domain() {
  if (!impl_->realized || impl_->closed) return;
  log(LogLevel::warning, "a domain was destroyed without close(); its device memory is leaked");
  impl_->exchange.reset();
  for (auto& local : impl_->locals) {
    local.stream.reset();
    leak(std::shared_ptr<void>(std::move(local.arena.buffer)));
  }
  leak(impl_->backend);
}

field_id Domain::add_field(FieldDescriptor descriptor) {
  impl_->check_before_plan("add_field");
  for (const auto& other : impl_->fields) {
    if (other.name == descriptor.name) {
      throw InvalidArgument(fmt::format("field name is '{}', which is taken; allowed are other names", descriptor.name));
    }
  }
  if (descriptor.components < 1 || descriptor.buffers < 1) {
    throw InvalidArgument(fmt::format("field '{}' has {} components and {} buffers; allowed are 1 or more of each",
                                      descriptor.name, descriptor.components, descriptor.buffers));
  }
  impl_->fields.push_back(std::move(descriptor));
  return field_id(static_cast<std::int64_t>(impl_->fields.size()) - 1);
}

const Plan& Domain::plan() {
  if (!impl_->plan) impl_->make_plan();
  return *impl_->plan;
}

void Domain::use_array(field_id field, subdomain_id subdomain, int set, void* first_owned_cell,
                       std::array<std::int64_t, 3> stride_bytes, std::int64_t component_stride_bytes) {
  if (!impl_->plan || impl_->realized) {
    throw InvalidArgument("use_array is called before plan() or after realize(); allowed is between the two");
  }
  const auto& descriptor = impl_->field(field);
  if (set < 0 || set >= descriptor.buffers) {
    throw InvalidArgument(fmt::format("set of field '{}' is {}; allowed are 0 to {}", descriptor.name, set,
                                      descriptor.buffers - 1));
  }
  if (std::find(impl_->mine.begin(), impl_->mine.end(), subdomain) == impl_->mine.end()) {
    throw InvalidArgument(fmt::format("subdomain is {}; allowed are this rank's own", subdomain.value()));
  }
  if (first_owned_cell == nullptr) {
    throw InvalidArgument(fmt::format("array of field '{}' is null; allowed is the address of its first owned cell",
                                      descriptor.name));
  }
  impl_->user_arrays[{field, subdomain}][set] = {static_cast<std::byte*>(first_owned_cell), stride_bytes,
                                                 component_stride_bytes};
}

void Domain::realize() {
  if (impl_->realized) throw InvalidArgument("realize() was called before; allowed is once");
  plan();
  comm::agree_on(*impl_->comm, [&] { impl_->allocate(); });
  impl_->route_and_connect();
  const auto& geometry = impl_->plan->geometry;
  // What overlaps is decided by the widest field, so that one interior serves them all.
  for (std::size_t i = 0; i < impl_->mine.size(); ++i) {
    Subdomain view;
    view.domain_ = this;
    view.position_ = i;
    view.id_ = impl_->mine[i];
    view.device_ = impl_->plan->placement.of(view.id_).ordinal;
    view.owned_ = geometry.partition.box_of(view.id_);
    Vec3 lower;
    Vec3 upper;
    for (std::size_t f = 0; f < impl_->fields.size(); ++f) {
      const Radius& radius = geometry.radius_of(field_id(static_cast<std::int64_t>(f)));
      for (int dim = 0; dim < 3; ++dim) {
        lower[dim] = std::max(lower[dim], radius.lower()[dim]);
        upper[dim] = std::max(upper[dim], radius.upper()[dim]);
      }
    }
    const Radius widest = Radius::per_side(lower, upper);
    view.interior_ = overlap::interior(view.owned_, widest, impl_->options.update);
    view.exterior_ = overlap::exterior(view.owned_, widest, impl_->options.update);
    view.stream_ = impl_->locals[i].stream.get();
    impl_->subdomains.push_back(std::move(view));
    impl_->streams.push_back(impl_->locals[i].stream.get());
  }
  impl_->realized = true;
}

std::string Domain::explain() const {
  impl_->check_realized("explain()");
  return halocline::explain(*impl_->plan, impl_->routes);
}

const std::vector<RoutedMessage>& Domain::routes() const { return impl_->routes; }

std::vector<RoutedMessage> Domain::gather_routes() {
  impl_->check_realized("gather_routes()");
  return gather_routed_messages(*impl_->comm, impl_->routes);
}

std::span<const Subdomain> Domain::subdomains() const { return impl_->subdomains; }

const partition::Geometry& Domain::geometry() const {
  if (!impl_->plan) throw InvalidArgument("geometry() before plan() or realize(); allowed is after");
  return impl_->plan->geometry;
}

comm::Communicator& Domain::comm() const { return *impl_->comm; }

device::Backend& Domain::backend() const {
  if (!impl_->backend) throw InvalidArgument("backend() before plan() or realize(); allowed is after");
  return *impl_->backend;
}

exchange::Traffic Domain::traffic(routing::Transport transport) const {
  impl_->check_realized("traffic()");
  for (const auto& row : impl_->exchange->traffic()) {
    if (row.transport == transport) return row;
  }
  return {transport};
}

void Domain::start_exchange() {
  std::vector<field_id> all;
  for (std::size_t f = 0; f < impl_->fields.size(); ++f) all.emplace_back(static_cast<std::int64_t>(f));
  start_exchange(all);
}

void Domain::start_exchange(std::span<const field_id> fields) {
  impl_->check_realized("start_exchange()");
  impl_->exchange->start(impl_->streams, impl_->selection(fields));
  impl_->exchanging.assign(fields.begin(), fields.end());
}

void Domain::finish_exchange() {
  impl_->check_realized("finish_exchange()");
  impl_->exchange->finish();
  if (!impl_->fill) return;
  std::array<bool, 3> open{};
  for (std::size_t dim = 0; dim < 3; ++dim) open[dim] = impl_->options.boundaries[dim] == Boundary::open;
  for (const Subdomain& subdomain : impl_->subdomains) {
    for (const field_id id : impl_->exchanging) {
      const auto& geometry = impl_->plan->geometry;
      for (const auto& box : overlap::boundary_boxes(geometry.owned(id, subdomain.id()), geometry.radius_of(id),
                                                     impl_->domain_box(id), open)) {
        impl_->fill(subdomain, id, box);
      }
    }
  }
}

void Domain::exchange() {
  start_exchange();
  finish_exchange();
}

void Domain::swap(field_id field) {
  impl_->check_realized("swap()");
  const auto& descriptor = impl_->field(field);
  if (descriptor.buffers < 2) {
    throw InvalidArgument(fmt::format("field '{}' has 1 buffer; allowed for swap are fields with 2 or more",
                                      descriptor.name));
  }
  int& set = impl_->current[field.index()];
  set = (set + 1) % descriptor.buffers;
}

int Domain::current_set(field_id field) const {
  impl_->check_realized("current_set()");
  static_cast<void>(impl_->field(field));
  return impl_->current[field.index()];
}

void Domain::on_open_boundary(BoundaryFill fill) { impl_->fill = std::move(fill); }

void Domain::synchronize() {
  impl_->check_realized("synchronize()");
  for (device::Stream* stream : impl_->streams) stream->synchronize();
  impl_->exchange->check();
}

void Domain::close() {
  if (impl_->closed) return;
  if (impl_->realized) {
    impl_->exchange->close();
    impl_->exchange.reset();
    impl_->subdomains.clear();
    impl_->streams.clear();
    impl_->locals.clear();
  }
  if (impl_->node_comm) impl_->node_comm->close();
  if (impl_->owned_comm) impl_->owned_comm->close();
  impl_->closed = true;
}

Domain::ArrayView Domain::array_of(std::size_t position, field_id field, int ahead, Element element) const {
  impl_->check_realized("view()");
  const auto& descriptor = impl_->field(field);
  if (descriptor.element != element) {
    throw InvalidArgument(fmt::format("view of field '{}' is of {}; allowed is its own type, {}", descriptor.name,
                                      halocline::to_string(element), halocline::to_string(descriptor.element)));
  }
  const int set = (impl_->current[field.index()] + ahead) % descriptor.buffers;
  const subdomain_id id = impl_->mine[position];
  return {impl_->locals[position].arrays[field.index()][static_cast<std::size_t>(set)],
          impl_->plan->geometry.owned(field, id), impl_->plan->geometry.with_halo(field, id)};
}

}  // namespace halocline
