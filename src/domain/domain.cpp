// SPDX-License-Identifier: BSD-3-Clause
// The functions of a realised domain.
#include "halocline/domain.hpp"
#include "comm/local_ranks.hpp"

#include <algorithm>

#include "core/timeout.hpp"
#include "domain/detail/domain_impl.hpp"

namespace halocline {

std::array<bool, 3> Domain::Impl::open_dims() const {
  std::array<bool, 3> open{};
  for (std::size_t dim = 0; dim < 3; ++dim) open[dim] = options.boundaries[dim] == Boundary::open;
  return open;
}

Stencil Domain::Impl::widest() const { return plan->geometry.beyond_box(partition::widest_stencil(fields, stencil)); }

Box Domain::Impl::update_box(const Box& owned, int step) const {
  return overlap::update_box(owned, widest(), options.steps_per_exchange, step, Box::of_extent(extent), open_dims());
}

void Domain::Impl::split(const Vec3& tile) {
  // The widest field determines the interior, so that one interior serves all fields.
  const HaloWidth& halo = plan->geometry.widest_halo;
  for (Subdomain& subdomain : subdomains) {
    const Box& owned = subdomain.owned_;
    subdomain.interior_ = overlap::whole_tiles(overlap::interior(owned, widest(), halo, options.update), owned, tile);
    subdomain.boundary_ = overlap::boundary(update_box(owned, 0), subdomain.interior_);
  }
}

std::int64_t Domain::Impl::depth_of(const Transfer& transfer) const {
  const std::string& name = field(transfer.field).name;
  if (transfer.depth < 1) {
    throw InvalidArgument(fmt::format("depth of field '{}' is {}; allowed is 1 or more", name, transfer.depth));
  }
  const std::int64_t width = plan->geometry.halo_of(transfer.field).most();
  if (transfer.depth >= width) return exchange::Selection::Item::whole;
  if (options.steps_per_exchange > 1) {
    throw InvalidArgument(
        fmt::format("depth of field '{}' is {}; allowed is {} or more, the whole halo, as an exchange serves {} steps "
                    "(steps_per_exchange)",
                    name, transfer.depth, width, options.steps_per_exchange));
  }
  return transfer.depth;
}

int Domain::Impl::swaps_captured(field_id id) const {
  if (!capturing) return 0;
  const int buffers = field(id).buffers;
  return (current[id.index()] - capturing->current[id.index()] + buffers) % buffers;
}

const exchange::Selection& Domain::Impl::selection(std::span<const Transfer> which) {
  selected.items.clear();
  for (const Transfer& transfer : which) {
    const field_id id = transfer.field;
    const std::int64_t depth = depth_of(transfer);
    const int buffer = current[id.index()];
    selected.items.push_back({id, buffer, transfer.directions, depth, swaps_captured(id)});
  }
  std::sort(selected.items.begin(), selected.items.end(),
            [](const auto& a, const auto& b) { return a.field < b.field; });
  return selected;
}

int Domain::Impl::buffer_of(std::string_view what, field_id id, int ahead, Element element) {
  check_realized(what);
  const auto& descriptor = field(id);
  if (descriptor.element != element) {
    throw InvalidArgument(fmt::format("{} of field '{}' is of {}; allowed is its own type, {}", what, descriptor.name,
                                      halocline::to_string(element), halocline::to_string(descriptor.element)));
  }
  if (ahead < 0 || ahead >= descriptor.buffers) {
    throw InvalidArgument(fmt::format("{} of field '{}' is {} swaps ahead; allowed are 0 to {}, as it has {} buffer{}",
                                      what, descriptor.name, ahead, descriptor.buffers - 1, descriptor.buffers,
                                      descriptor.buffers == 1 ? "" : "s"));
  }
  return (current[id.index()] + ahead) % descriptor.buffers;
}

std::vector<field_id> Domain::Impl::all_fields() const {
  std::vector<field_id> all;
  for (std::size_t f = 0; f < fields.size(); ++f) all.emplace_back(static_cast<std::int64_t>(f));
  return all;
}

void Domain::Impl::start_exchange(std::span<const Transfer> which, exchange::Overlap overlap) {
  const exchange::Selection& chosen = selection(which);
  check_open_ends(which);
  const device::CountMemory counted(*account, device::Purpose::other);  // tables of an exchange that is new
  if (timer && !exchange->under_way()) exchange->guard([&] { timer->start(streams, overlap); });
  exchange->start(streams, chosen, overlap);
  exchanging.clear();
  for (const Transfer& transfer : which) exchanging.push_back(transfer.field);
}

void Domain::Impl::start_whole_exchange(exchange::Overlap overlap) {
  if (slow_paths && !capturing && !exchange->under_way()) {
    exchange->guard([&] { slow_paths->start(*exchange, streams, overlap); });
  }
  start_exchange(all_transfers, overlap);
}

Domain::Domain(const Vec3& extent, const Stencil& stencil, DomainOptions options)
    : Domain(extent, stencil, comm::serial(), std::move(options)) {}

Domain::Domain(const Vec3& extent, const Stencil& stencil, comm::Communicator comm, DomainOptions options)
    : impl_(std::make_unique<Impl>(this, extent, stencil, std::move(options))) {
  const Duration timeout = checked_timeout(impl_->options.timeout);
  impl_->owned_comm = comm.release();
  // For the wait in which plan() begins, too.
  if (impl_->owned_comm) impl_->owned_comm->set_timeout(timeout);
  (impl_->owned_comm ? impl_->comm : impl_->users_comm) = &static_cast<comm::RankGroup&>(comm);
}

Domain::Domain(OwnedBoxes boxes, const Stencil& stencil, DomainOptions options)
    : Domain(std::move(boxes), stencil, comm::serial(), std::move(options)) {}

Domain::Domain(OwnedBoxes boxes, const Stencil& stencil, comm::Communicator comm, DomainOptions options)
    : Domain(Vec3{}, stencil, std::move(comm), std::move(options)) {
  impl_->owned_boxes = std::move(boxes);
}

field_id Domain::add_field(FieldDescriptor descriptor) {
  impl_->life().check_before_plan("add_field");
  for (const auto& other : impl_->fields) {
    if (other.name == descriptor.name) {
      throw InvalidArgument(
          fmt::format("field name is '{}', which is taken; allowed are other names", descriptor.name));
    }
  }
  if (descriptor.components < 1 || descriptor.buffers < 1) {
    throw InvalidArgument(fmt::format("field '{}' has {} components and {} buffers; allowed are 1 or more of each",
                                      descriptor.name, descriptor.components, descriptor.buffers));
  }
  const auto directed = std::ssize(descriptor.component_directions);
  if (directed != 0 && directed != descriptor.components) {
    throw InvalidArgument(
        fmt::format("field '{}' has component_directions for {} components; allowed are its {}, or none",
                    descriptor.name, directed, descriptor.components));
  }
  check_wire(descriptor);
  impl_->fields.push_back(std::move(descriptor));
  const field_id id(static_cast<std::int64_t>(impl_->fields.size()) - 1);
  impl_->all_transfers.push_back({.field = id});
  return id;
}

Planned Domain::plan() {
  impl_->ensure_plan();
  if (!impl_->machine) impl_->machine.emplace(impl_->plan->machine);
  return {*impl_->machine, Devices(impl_->backend), *impl_->comm, impl_->options.steps_per_exchange};
}

void Domain::use_array(field_id field, subdomain_id subdomain, int buffer, const UserArray& array) {
  impl_->life().check_planned("use_array");
  const auto& descriptor = impl_->field(field);
  const Vec3 owned = impl_->plan->geometry.owned(field, subdomain).extent();
  const Vec3 expected = array.halo_below + owned + array.halo_above;
  if (array.extent != expected) {
    throw InvalidArgument(fmt::format(
        "array of field '{}' of subdomain {} has {} cells; allowed are its halos and the {} owned "
        "cells, {}",
        descriptor.name, subdomain.value(), to_string(array.extent), to_string(owned), to_string(expected)));
  }
  if (array.components.value_or(descriptor.components) != descriptor.components) {
    throw InvalidArgument(
        fmt::format("array of field '{}' of subdomain {} has {} components; allowed are the field's {}",
                    descriptor.name, subdomain.value(), *array.components, descriptor.components));
  }
  if (array.element.value_or(descriptor.element) != descriptor.element) {
    throw InvalidArgument(
        fmt::format("array of field '{}' of subdomain {} has elements {}; allowed are the field's, {}", descriptor.name,
                    subdomain.value(), to_string(*array.element), to_string(descriptor.element)));
  }
  const HaloWidth& halo = impl_->plan->geometry.halo_of(field);
  const int steps = impl_->options.steps_per_exchange;
  std::byte* first = static_cast<std::byte*>(array.data);
  for (int dim = 0; dim < 3; ++dim) {
    if (array.halo_below[dim] < halo.lower()[dim] || array.halo_above[dim] < halo.upper()[dim]) {
      throw InvalidArgument(
          fmt::format("array of field '{}' of subdomain {} has halos of {} and {} cells in {}; allowed are the "
                      "{}, {} and {}, or more",
                      descriptor.name, subdomain.value(), array.halo_below[dim], array.halo_above[dim], "xyz"[dim],
                      steps == 1 ? "radius" : fmt::format("halo for {} steps (steps_per_exchange)", steps),
                      halo.lower()[dim], halo.upper()[dim]));
    }
    if (first != nullptr) first += array.halo_below[dim] * array.stride_bytes[static_cast<std::size_t>(dim)];
  }
  use_array(field, subdomain, buffer, first, array.stride_bytes, array.component_stride_bytes);
}

void Domain::use_array(field_id field, subdomain_id subdomain, int buffer, void* first_owned_cell,
                       std::array<std::int64_t, 3> stride_bytes, std::int64_t component_stride_bytes) {
  impl_->life().check_planned("use_array");
  const auto& descriptor = impl_->field(field);
  if (buffer < 0 || buffer >= descriptor.buffers) {
    throw InvalidArgument(fmt::format("buffer of field '{}' is {}; allowed are 0 to {}", descriptor.name, buffer,
                                      descriptor.buffers - 1));
  }
  if (std::find(impl_->mine.begin(), impl_->mine.end(), subdomain) == impl_->mine.end()) {
    throw InvalidArgument(fmt::format("subdomain is {}; allowed are this rank's own", subdomain.value()));
  }
  if (descriptor.x_halos_apart) {
    throw InvalidArgument(
        fmt::format("array of field '{}' is the caller's own; allowed for a field whose halos in x are stored apart is "
                    "Halocline's memory",
                    descriptor.name));
  }
  if (first_owned_cell == nullptr) {
    throw InvalidArgument(
        fmt::format("array of field '{}' of subdomain {} is null; allowed is the address of its first owned cell",
                    descriptor.name, subdomain.value()));
  }
  impl_->user_arrays[{field, subdomain}][buffer] = {static_cast<std::byte*>(first_owned_cell), stride_bytes,
                                                    component_stride_bytes};
}

std::string Domain::explain() const {
  impl_->check_realized("explain()");
  std::string text = halocline::explain(*impl_->plan, impl_->routes);
  if (impl_->message_ranking) text += explain_messages(*impl_->message_ranking);
  if (impl_->reductions) text += impl_->reductions->text();
  return text + impl_->explain_memory() + impl_->tuned;
}

std::span<const Subdomain> Domain::subdomains() const {
  impl_->life().check_after_plan("subdomains()");
  return impl_->subdomains;
}

ExchangeHandle Domain::start_exchange() {
  impl_->check_realized("start_exchange()");
  impl_->start_whole_exchange(exchange::Overlap::possible);
  return ExchangeHandle(*this);
}

ExchangeHandle Domain::start_exchange(const std::vector<Transfer>& transfers) {
  impl_->check_realized("start_exchange()");
  impl_->start_exchange(transfers, exchange::Overlap::possible);
  return ExchangeHandle(*this);
}

void Domain::exchange() {
  impl_->check_realized("exchange()");
  impl_->start_whole_exchange(exchange::Overlap::none);
  impl_->finish_exchange();
}

void Domain::exchange(const std::vector<Transfer>& transfers) {
  impl_->check_realized("exchange()");
  impl_->start_exchange(transfers, exchange::Overlap::none);
  impl_->finish_exchange();
}

void Domain::exchange_awaited() {
  impl_->check_realized("exchange_awaited()");
  impl_->start_whole_exchange(exchange::Overlap::next_kernel);
  impl_->finish_exchange();
}

std::vector<ExchangeTime> Domain::timing() {
  impl_->check_realized("timing()");
  if (impl_->timer) return impl_->timer->take();
  throw InvalidArgument(
      "timing() of a domain that does not time exchanges; DomainOptions::time_exchanges must be true");
}

void Domain::use_streams(std::span<Stream* const> streams) {
  impl_->check_idle("use_streams()");
  if (streams.size() != impl_->streams.size()) {
    throw InvalidArgument(fmt::format("number of streams is {}; allowed is one for each of the {} local subdomains",
                                      streams.size(), impl_->streams.size()));
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const Subdomain& subdomain = impl_->subdomains[i];
    if (streams[i] == nullptr || streams[i]->device() != subdomain.device()) {
      throw InvalidArgument(fmt::format(
          "stream of subdomain {} is {}; allowed are those of its device, {}", subdomain.id().value(),
          streams[i] == nullptr ? "null" : fmt::format("of device {}", streams[i]->device()), subdomain.device()));
    }
  }
  impl_->exchange->guard([&] {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      device::Stream& next = device::stream_of(*streams[i]);
      if (&next == impl_->streams[i]) continue;
      impl_->streams[i]->record(*impl_->marks[i]);
      next.wait(*impl_->marks[i]);
      impl_->streams[i] = &next;
      impl_->subdomains[i].stream_ = streams[i];
    }
  });
}

void Domain::swap(field_id field) {
  impl_->check_realized("swap()");
  const auto& descriptor = impl_->field(field);
  if (descriptor.buffers < 2) {
    throw InvalidArgument(
        fmt::format("field '{}' has 1 buffer; allowed for swap are fields with 2 or more", descriptor.name));
  }
  if (impl_->exchange->under_way() && std::ranges::find(impl_->exchanging, field) != impl_->exchanging.end()) {
    throw InvalidArgument(fmt::format(
        "swap() of field '{}' must not be called while the field is exchanged; finish() the exchange before",
        descriptor.name));
  }
  if (!impl_->capturing) impl_->exchange->swapped(impl_->streams, field);
  int& buffer = impl_->current[field.index()];
  buffer = (buffer + 1) % descriptor.buffers;
}

void Domain::use_tiles(const Vec3& tile) {
  impl_->check_idle("use_tiles()");
  if (impl_->boundary_updater) {
    synchronize();  // parts of earlier boundaries may still run
    impl_->boundary_updater.reset();
  }
  impl_->tiles = tile;
  impl_->split(tile);
}

void Domain::Impl::rethrow_explained(const std::exception_ptr& error) const {
  std::exception_ptr explained = error;
  if (accumulation) explained = accumulation->exchange().explained(explained);
  if (reductions) explained = reductions->explained(explained);
  if (explained != error) std::rethrow_exception(explained);
}

void Domain::synchronize() {
  impl_->check_realized("synchronize()");
  const auto& streams = impl_->streams;
  if (impl_->captured()) {
    throw InvalidArgument("synchronize() while steps are being captured; allowed is after the capture's finish()");
  }
  impl_->note(EventKind::synchronizing);
  impl_->exchange->guard([&] {
    try {
      impl_->backend->synchronize(streams);
    } catch (const Error&) {
      impl_->rethrow_explained(std::current_exception());
      impl_->exchange->check(streams);  // its error names what an exchange waited for
      throw;
    }
    impl_->exchange->check(streams);
  });
  impl_->note(EventKind::synchronized);
}

Domain::ArrayView Domain::array_of(std::size_t position, field_id field, int ahead, Element element,
                                   XHalos allowed) const {
  const int buffer = impl_->buffer_of("view", field, ahead, element);
  const subdomain_id id = impl_->mine[position];
  const exchange::Array& array = impl_->locals[position].arrays[field.index()][static_cast<std::size_t>(buffer)];
  const partition::Geometry& geometry = impl_->plan->geometry;
  const FieldDescriptor& descriptor = geometry.fields[field.index()];
  if (allowed == XHalos::in_rows && descriptor.x_halos_apart) {
    throw InvalidArgument(
        fmt::format("field '{}' has halos in x apart from its rows, which a View cannot reach; allowed is "
                    "split_view(), or its rows()",
                    descriptor.name));
  }
  std::uint32_t sides = 0;
  for (const Direction d : all_directions) {
    if (geometry.halo_of(field).has(d)) sides |= std::uint32_t{1} << d.index();
  }
  const Box owned = geometry.owned(field, id);
  return {array.origin,
          owned,
          geometry.with_halo(field, id),
          array.stride_bytes,
          array.component_stride_bytes,
          {descriptor.name.c_str(), static_cast<std::int32_t>(id.value()), descriptor.components, sides},
          array.both_x_halos(owned)};
}

}  // namespace halocline
