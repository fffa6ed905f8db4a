// SPDX-License-Identifier: BSD-3-Clause
#include "domain.hpp"

#include <unistd.h>

#include <chrono>

namespace halocline::python {
namespace {

Vec3 vec(const Triple& t) { return {t[0], t[1], t[2]}; }
Triple triple(const Vec3& v) { return {v.x, v.y, v.z}; }
Corners corners(const Box& box) { return {triple(box.lo), triple(box.hi)}; }

Boundary boundary_of(const std::string& name) {
  if (name == "periodic") return Boundary::periodic;
  if (name == "open") return Boundary::open;
  if (name == "periodic_in_kernel") return Boundary::periodic_in_kernel;
  throw InvalidArgument("boundary is '" + name + "'; allowed is periodic, open or periodic_in_kernel");
}

template <typename Shape>
std::unique_ptr<Domain> make_domain(Shape shape, const StencilSpec& stencil, const Ranks& ranks,
                                    const Settings& settings) {
  const nb::gil_scoped_release release;
  DomainOptions options = settings.options();
  if (!ranks) return std::make_unique<Domain>(std::move(shape), stencil.stencil(), options);
  return std::make_unique<Domain>(std::move(shape), stencil.stencil(), communicator_of(*ranks, options.timeout),
                                  options);
}

routing::Messages messages_of(const std::string& name) {
  using routing::Messages;
  for (const Messages messages :
       {Messages::by_neighbour, Messages::by_direction, Messages::by_rank, Messages::by_node, Messages::automatic}) {
    if (routing::to_string(messages) == name) return messages;
  }
  throw InvalidArgument("messages is '" + name +
                        "'; allowed are by_neighbour, by_direction, by_rank, by_node and auto");
}

Duration timeout_of(double seconds) {
  if (seconds > 0 && seconds <= 1e9) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  }
  throw InvalidArgument("timeout is " + std::to_string(seconds) + " s; allowed is above 0 and up to 1e9");
}

OwnedBoxes owned_boxes(const std::vector<Corners>& boxes) {
  OwnedBoxes owned;
  for (const auto& [low, high] : boxes) owned.boxes.push_back({vec(low), vec(high)});
  return owned;
}

}  // namespace

Selection::Selection(const std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>>& depths) {
  for (const auto& [field, depth] : depths) {
    transfers.push_back({.field = field_id(field)});
    if (depth) transfers.back().depth = *depth;
  }
}

Stencil StencilSpec::stencil() const {
  Stencil all = Stencil::per_side(vec(lower), vec(upper));
  if (!edges) all = all.without_edges();
  return corners ? all : all.without_corners();
}

DomainOptions Settings::options() const {
  DomainOptions options = DomainOptions::from(Environment::read());
  if (backend) options.devices.kind = device_kind_of(*backend);
  if (devices) options.devices.per_rank = devices;
  for (std::size_t dim = 0; dim < 3; ++dim) options.boundaries[dim] = boundary_of(boundary[dim]);
  if (in_place) options.update = overlap::Update::in_place;
  options.steps_per_exchange = steps_per_exchange;
  options.partition.method = partition::method_from_string(partition);
  options.partition.cuts = cuts;
  options.partition.measure_weights = measure_weights;
  for (const auto& [rank, device] : owners) options.placement.owners.push_back({rank_id(rank), device});
  options.machine.map = machine;
  if (transports) options.routing.policy = routing::Policy::parse(*transports);
  options.routing.messages = messages_of(messages);
  if (ranks_per_node) options.machine.ranks_per_node = ranks_per_node;
  if (validate_ordering) options.debug.validate_ordering = true;
  if (timeout) options.timeout = timeout_of(*timeout);
  return options;
}

DomainHandle::DomainHandle(const Triple& extent, const std::vector<Corners>& boxes, const StencilSpec& stencil,
                           const Ranks& ranks, const Settings& settings)
    : domain_(boxes.empty() ? make_domain(vec(extent), stencil, ranks, settings)
                            : make_domain(owned_boxes(boxes), stencil, ranks, settings)),
      process_(::getpid()) {}

// A child process has the parent's memory and none of its threads: nothing there can be freed.
DomainHandle::~DomainHandle() {
  if (process_ != ::getpid()) static_cast<void>(domain_.release());
}

Domain& DomainHandle::domain() {
  if (process_ != ::getpid()) {
    throw InvalidArgument(
        "this domain belongs to another process, which forked this one; allowed is a domain made after the fork");
  }
  return *domain_;
}

const Subdomain& DomainHandle::subdomain(std::size_t position) { return domain().subdomains()[position]; }

std::int64_t DomainHandle::add_field(const std::string& name, const std::string& element, int components, int buffers,
                                     std::optional<StencilSpec> stencil, std::array<bool, 3> staggered,
                                     const std::optional<std::string>& wire) {
  FieldDescriptor field{.name = name,
                        .element = element_from_string(element),
                        .components = components,
                        .staggered = staggered,
                        .buffers = buffers};
  if (stencil) field.stencil = stencil->stencil();
  if (wire) field.wire = element_from_string(*wire);
  return domain().add_field(std::move(field)).value();
}

void DomainHandle::plan() {
  Domain& all = domain();
  const nb::gil_scoped_release release;
  all.plan();
}

Corners DomainHandle::planned(std::size_t position) { return corners(subdomain(position).owned()); }

void DomainHandle::tune(const std::string& file, double budget, bool again) {
  Domain& all = domain();
  const nb::gil_scoped_release release;
  all.tune(file, std::chrono::duration_cast<Duration>(std::chrono::duration<double>(budget)), again);
}

void DomainHandle::realize() {
  Domain& all = domain();
  const nb::gil_scoped_release release;
  all.realize();
}

void DomainHandle::start_exchange(const Selection* selection, std::uintptr_t stream, bool keep) {
  Domain& all = domain();
  const nb::gil_scoped_release release;
  if (stream != 0) wait_for_stream(stream, keep);
  open_boxes_.clear();
  exchange_.emplace(selection == nullptr ? all.start_exchange() : all.start_exchange(selection->transfers));
}

std::vector<OpenBox> DomainHandle::finish(std::uintptr_t stream, bool keep, bool wait) {
  Domain& all = domain();
  if (!exchange_)
    throw InvalidArgument("finish() was called while no exchange is under way; allowed is after start_exchange()");
  ExchangeHandle ending = std::move(*exchange_);
  exchange_.reset();
  const nb::gil_scoped_release release;
  ending.finish();
  end(all, stream, keep, wait);
  return std::move(open_boxes_);
}

std::vector<OpenBox> DomainHandle::exchange(const Selection* selection, std::uintptr_t stream, bool keep, bool wait) {
  in_order(stream, keep, wait, [&](Domain& all) {
    open_boxes_.clear();
    (selection == nullptr ? all.start_exchange() : all.start_exchange(selection->transfers)).finish();
  });
  return std::move(open_boxes_);
}

void DomainHandle::end(Domain& all, std::uintptr_t stream, bool keep, bool wait) {
  if (wait) return all.synchronize();
  if (stream != 0) let_stream_wait(stream, keep);
}

void DomainHandle::begin_capture() { capture_.emplace(domain().capture()); }

Graph DomainHandle::end_capture() {
  static_cast<void>(domain());
  if (!capture_) throw InvalidArgument("no capture is under way; allowed is its end after its begin");
  Capture ending = *std::exchange(capture_, std::nullopt);
  return ending.finish();
}

void DomainHandle::launch(const Graph& steps, std::uintptr_t stream, bool keep, bool wait) {
  in_order(stream, keep, wait, [&](Domain&) { steps.launch(); });
}

bool DomainHandle::is_ready() {
  static_cast<void>(domain());
  if (!exchange_) return true;
  const nb::gil_scoped_release release;
  return exchange_->is_ready();
}

void DomainHandle::accumulate(const Selection* selection, bool replace, std::uintptr_t stream, bool keep, bool wait) {
  in_order(stream, keep, wait, [&](Domain& all) {
    const Combine combine = replace ? Combine::replace : Combine::add;
    if (selection == nullptr) {
      all.accumulate(combine);
    } else {
      all.accumulate(selection->transfers, combine);
    }
  });
}

std::int64_t DomainHandle::add_reduction(std::int64_t field, const std::string& what) {
  std::string names;
  for (const Reduce one : all_reductions) {
    if (what == to_string(one)) return domain().add_reduction(field_id(field), one).value();
    names += (names.empty() ? "" : ", ") + std::string(to_string(one));
  }
  throw InvalidArgument("reduction is '" + what + "'; allowed is one of " + names);
}

void DomainHandle::reduce(const std::vector<std::int64_t>& reductions, std::uintptr_t stream, bool keep, bool wait) {
  const std::vector<reduction_id> which(reductions.begin(), reductions.end());
  in_order(stream, keep, wait, [&](Domain& all) { all.reduce(which); });
}

double DomainHandle::value(std::int64_t reduction) {
  Domain& all = domain();
  const nb::gil_scoped_release release;
  return all.value(reduction_id(reduction));
}

std::uintptr_t DomainHandle::result(std::size_t position, std::int64_t reduction) {
  return reinterpret_cast<std::uintptr_t>(subdomain(position).result(reduction_id(reduction)));
}

void DomainHandle::rebalance(const std::vector<double>& speeds) {
  Domain& all = domain();
  const nb::gil_scoped_release release;
  all.rebalance(speeds);
}

std::vector<DomainHandle::Borrowed> DomainHandle::borrow(std::uintptr_t stream) {
  std::vector<Borrowed> made;
  const Devices devices = domain().plan().devices;
  for (const Subdomain& at : domain().subdomains()) {
    made.push_back(
        {devices.borrow_stream(at.device(), reinterpret_cast<void*>(stream)), devices.create_event(at.device())});
  }
  return made;
}

template <typename F>
void DomainHandle::with_stream(std::uintptr_t stream, bool keep, F&& f) {
  const auto subdomains = domain().subdomains();
  const auto call = [&](const std::vector<Borrowed>& users) {
    for (std::size_t i = 0; i < users.size(); ++i) f(*users[i].stream, *users[i].event, subdomains[i].stream());
  };
  if (!keep) return call(borrow(stream));
  if (kept_.empty() || kept_stream_ != stream) {
    kept_ = borrow(stream);
    kept_stream_ = stream;
  }
  call(kept_);
}

void DomainHandle::wait_for_stream(std::uintptr_t stream, bool keep) {
  with_stream(stream, keep, [](Stream& users, Event& event, Stream& own) {
    users.record(event);
    own.wait(event);
  });
}

void DomainHandle::let_stream_wait(std::uintptr_t stream, bool keep) {
  with_stream(stream, keep, [](Stream& users, Event& event, Stream& own) {
    own.record(event);
    users.wait(event);
  });
}

void DomainHandle::forget_stream() { kept_.clear(); }

void DomainHandle::leave_open_boundaries() {
  domain().on_open_boundary([this](const Subdomain& at, field_id field, const overlap::OpenBoundaryBox& open) {
    const auto position = static_cast<std::size_t>(&at - domain_->subdomains().data());
    open_boxes_.push_back(
        {position, field.value(), static_cast<int>(open.dim), open.side == Side::upper, corners(open.box)});
  });
}

void DomainHandle::swap(std::int64_t field) { domain().swap(field_id(field)); }

void DomainHandle::synchronize() {
  Domain& all = domain();
  const nb::gil_scoped_release release;
  all.synchronize();
}

void DomainHandle::close() {
  Domain& all = domain();
  std::unique_lock alone(calls_, std::defer_lock);
  {
    const nb::gil_scoped_release release;
    alone.lock();
  }
  exchange_.reset();
  kept_.clear();
  const nb::gil_scoped_release release;
  all.close();
}

Machine DomainHandle::machine() { return domain().plan().machine; }
std::string DomainHandle::explain() { return domain().explain(); }

int DomainHandle::rank() { return static_cast<int>(domain().plan().comm.rank().value()); }
int DomainHandle::size() { return domain().plan().comm.size(); }

std::vector<nb::bytes> DomainHandle::all_gather(const std::string& call, const nb::bytes& mine) {
  auto comm = domain().plan().comm;
  std::vector<std::vector<std::byte>> all;
  {
    const std::span<const std::byte> sent(static_cast<const std::byte*>(mine.data()), mine.size());
    const nb::gil_scoped_release release;
    comm.begin(call);
    all = comm.all_gather(sent);
  }
  std::vector<nb::bytes> received;
  for (const auto& one : all) received.emplace_back(one.data(), one.size());
  return received;
}

std::size_t DomainHandle::subdomain_count() { return domain().subdomains().size(); }
std::int64_t DomainHandle::subdomain_id_at(std::size_t position) { return subdomain(position).id().value(); }
int DomainHandle::device_at(std::size_t position) { return subdomain(position).device(); }
std::uintptr_t DomainHandle::stream_at(std::size_t position) {
  return reinterpret_cast<std::uintptr_t>(subdomain(position).stream().native());
}
bool DomainHandle::on_host() { return domain().plan().devices.kind() == DeviceKind::host; }
Corners DomainHandle::owned(std::size_t position, std::int64_t field) {
  return corners(subdomain(position).bytes(field_id(field)).owned());
}
Corners DomainHandle::with_halo(std::size_t position, std::int64_t field) {
  return corners(subdomain(position).bytes(field_id(field)).with_halo());
}
Corners DomainHandle::interior(std::size_t position) { return corners(subdomain(position).interior()); }
std::vector<Corners> DomainHandle::boundary(std::size_t position) {
  std::vector<Corners> all;
  for (const Box& box : subdomain(position).boundary()) all.push_back(corners(box));
  return all;
}

}  // namespace halocline::python
