// SPDX-License-Identifier: BSD-3-Clause
// The functions of a subdomain.
#include <fmt/core.h>

#include "domain/detail/domain_impl.hpp"
#include "domain/internals.hpp"

namespace halocline {

Box Subdomain::update_box(int step) const {
  Domain::Impl& domain = Domain::Impl::of(*domain_);
  domain.life().check_after_plan("update_box()");
  domain.check_step(step);
  return domain.update_box(owned_, step);
}

bool Subdomain::wraps(int dim) const { return internals(*domain_).geometry().wraps(dim); }

Stream& Subdomain::stream() const {
  if (stream_ == nullptr) Domain::Impl::of(*domain_).check_realized("stream()");
  return *stream_;
}

const FieldDescriptor& Subdomain::descriptor(field_id field) const {
  static_cast<void>(Domain::Impl::of(*domain_).field(field));  // throws if the field does not exist
  return internals(*domain_).geometry().fields[field.index()];
}

Box Subdomain::with_halo(field_id field) const {
  static_cast<void>(descriptor(field));
  return internals(*domain_).geometry().with_halo(field, id_);
}

ByteView Subdomain::bytes(field_id field, int ahead) const {
  const FieldDescriptor& asked = descriptor(field);
  const auto found = domain_->array_of(position_, field, ahead, asked.element, Domain::XHalos::anywhere);
  const ByteView all(found.origin, found.owned, found.with_halo, found.stride_bytes, found.component_stride_bytes);
  return asked.x_halos_apart ? SplitView<std::byte, false>(all, found.x_halos).rows() : all;
}

int Subdomain::written_ahead(field_id field) const {
  const auto& options = Domain::Impl::of(*domain_).options;
  const FieldDescriptor& asked = descriptor(field);
  if (options.update == overlap::Update::in_place) return 0;
  if (asked.buffers > 1) return 1;
  throw InvalidArgument(fmt::format(
      "field '{}' has 1 buffer; allowed for write() are fields with 2 or more, or DomainOptions::update in_place",
      asked.name));
}

DeviceInfo Subdomain::device_info() const { return internals(*domain_).backend().info(device_); }

void Subdomain::launch(const Box& box, std::function<void(const Box&)> body) const {
  stream().launch(box, std::move(body));
}

DeviceGuard::DeviceGuard(const Subdomain& subdomain)
    : current_(internals(subdomain).backend().make_current(subdomain.device())) {}
DeviceGuard::~DeviceGuard() = default;

}  // namespace halocline
