// SPDX-License-Identifier: BSD-3-Clause
// The parts of a domain that the tools, applications and tests of this tree can access.
#include "domain/internals.hpp"

#include <fmt/core.h>

#include "domain/detail/domain_impl.hpp"
#include "domain/detail/gather_routes.hpp"

namespace halocline {

DomainInternals internals(const Subdomain& subdomain) { return DomainInternals::of(subdomain); }

DomainInternals DomainInternals::of(const Subdomain& subdomain) { return DomainInternals(*subdomain.domain_); }

const Plan& DomainInternals::plan() const {
  Domain::Impl& impl = Domain::Impl::of(*domain_);
  impl.ensure_plan();
  return *impl.plan;
}

void DomainInternals::check_realized(std::string_view call) const { Domain::Impl::of(*domain_).check_realized(call); }

void DomainInternals::check_idle(std::string_view call) const { Domain::Impl::of(*domain_).check_idle(call); }

const partition::Geometry& DomainInternals::geometry() const {
  Domain::Impl& impl = Domain::Impl::of(*domain_);
  impl.life().check_after_plan("geometry()");
  return impl.plan->geometry;
}

device::Backend& DomainInternals::backend() const {
  Domain::Impl& impl = Domain::Impl::of(*domain_);
  impl.life().check_after_plan("backend()");
  return *impl.backend;
}

const device::MemoryAccount& DomainInternals::memory() const { return *Domain::Impl::of(*domain_).account; }

comm::RankGroup& DomainInternals::comm() const {
  Domain::Impl& impl = Domain::Impl::of(*domain_);
  impl.life().check_after_plan("comm()");
  return *impl.comm;
}

device::Tracer* DomainInternals::tracer() const {
  Domain::Impl& impl = Domain::Impl::of(*domain_);
  impl.check_realized("tracer()");
  return impl.tracer.get();
}

std::vector<exchange::TracedMessage> DomainInternals::traced_messages() const {
  Domain::Impl& impl = Domain::Impl::of(*domain_);
  impl.check_realized("traced_messages()");
  return impl.exchange->messages();
}

const MessageRanking* DomainInternals::message_ranking() const {
  Domain::Impl& impl = Domain::Impl::of(*domain_);
  impl.check_realized("message_ranking()");
  return impl.message_ranking ? &*impl.message_ranking : nullptr;
}

const std::vector<RoutedMessage>& DomainInternals::routes() const {
  Domain::Impl& impl = Domain::Impl::of(*domain_);
  impl.check_realized("routes()");
  return impl.routes;
}

std::vector<RoutedMessage> DomainInternals::gather_routes() const {
  Domain::Impl& impl = Domain::Impl::of(*domain_);
  impl.check_realized("gather_routes()");
  return gather_routed_messages(*impl.comm, impl.routes);
}

const io::TunedEntry* DomainInternals::tuned() const { return Domain::Impl::of(*domain_).tuned_entry.get(); }
const std::string& DomainInternals::tuned_text() const { return Domain::Impl::of(*domain_).tuned; }

namespace {

exchange::Traffic row_of(const exchange::Exchange& exchange, routing::Transport transport) {
  for (const auto& row : exchange.traffic()) {
    if (row.transport == transport) return row;
  }
  return {transport};
}

}  // namespace

exchange::Traffic DomainInternals::traffic(routing::Transport transport) const {
  Domain::Impl& impl = Domain::Impl::of(*domain_);
  impl.check_realized("traffic()");
  return row_of(*impl.exchange, transport);
}

exchange::Traffic DomainInternals::returned_traffic(routing::Transport transport) const {
  Domain::Impl& impl = Domain::Impl::of(*domain_);
  impl.check_realized("returned_traffic()");
  if (!impl.accumulation) throw InvalidArgument("returned_traffic() must be called after accumulate()");
  return row_of(impl.accumulation->exchange(), transport);
}

const exchange::Array& DomainInternals::array(const Subdomain& subdomain, field_id field, int ahead) const {
  Domain::Impl& impl = Domain::Impl::of(*domain_);
  const int buffer = impl.buffer_of("array", field, ahead, impl.field(field).element);
  return impl.locals[subdomain.position_].arrays[field.index()][static_cast<std::size_t>(buffer)];
}

int DomainInternals::current_buffer(field_id field) const {
  Domain::Impl& impl = Domain::Impl::of(*domain_);
  impl.check_realized("current_buffer()");
  static_cast<void>(impl.field(field));
  return impl.current[field.index()];
}

std::int64_t DomainInternals::rebalanced() const { return Domain::Impl::of(*domain_).rebalanced; }

}  // namespace halocline
