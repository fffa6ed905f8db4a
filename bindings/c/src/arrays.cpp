// SPDX-License-Identifier: BSD-3-Clause
// The memory of fields: the user's arrays, views, and copies on the host.
#include "convert.hpp"
#include "handles.hpp"

using halocline::field_id;
using halocline::HostBytes;
using halocline::Subdomain;
using halocline::c::box_of;
using halocline::c::DomainState;
using halocline::c::element_of;
using halocline::c::guarded;
using halocline::c::required;
using halocline::c::subdomain_at;
using halocline::c::vec;
using halocline::c::view_of;

halocline_status halocline_domain_use_array(halocline_domain* domain, halocline_field field, int32_t subdomain,
                                            int32_t buffer, const halocline_array* array) {
  return guarded([&] {
    DomainState& state = *required(domain, "domain").state;
    const halocline_array& from = required(array, "array");
    halocline::UserArray to{.data = from.data,
                            .extent = vec(from.extent),
                            .stride_bytes = {from.stride[0], from.stride[1], from.stride[2]},
                            .halo_below = vec(from.halo_below),
                            .halo_above = vec(from.halo_above),
                            .component_stride_bytes = from.component_stride};
    if (from.components != 0) to.components = from.components;
    if (from.element != 0) to.element = element_of(from.element);
    state.domain.use_array(field_id(field), subdomain_at(state, subdomain).id(), buffer, to);
  });
}

halocline_status halocline_subdomain_view(const halocline_domain* domain, int32_t subdomain, halocline_field field,
                                          int32_t ahead, halocline_view* view) {
  return guarded([&] {
    const Subdomain& at = subdomain_at(*required(domain, "domain").state, subdomain);
    required(view, "view") = view_of(at.bytes(field_id(field), ahead), at.descriptor(field_id(field)));
  });
}

halocline_status halocline_host_array_create(const halocline_domain* domain, int32_t subdomain, halocline_field field,
                                             const halocline_box* box, halocline_host_array** array) {
  return guarded([&] {
    auto& result = required(array, "array");
    const auto& state = required(domain, "domain").state;
    const Subdomain& at = subdomain_at(*state, subdomain);
    const field_id id(field);
    HostBytes bytes = box == nullptr ? HostBytes(at, id) : HostBytes(at, id, box_of(*box));
    result = new halocline_host_array{state, std::move(bytes), subdomain, field, at.descriptor(id)};
  });
}

halocline_status halocline_host_array_move_to(halocline_host_array* array, int32_t subdomain,
                                              const halocline_box* box) {
  return guarded([&] {
    auto& own = required(array, "array");
    own.bytes.move_to(subdomain_at(*own.state, subdomain), field_id(own.field), box_of(required(box, "box")));
    own.subdomain = subdomain;
  });
}

halocline_status halocline_host_array_view(const halocline_host_array* array, halocline_view* view) {
  return guarded([&] {
    const auto& own = required(array, "array");
    required(view, "view") = view_of(own.bytes.bytes(), own.descriptor);
  });
}

halocline_status halocline_host_array_download(halocline_host_array* array, int32_t ahead) {
  return guarded([&] {
    const auto& own = required(array, "array");
    own.bytes.download(subdomain_at(*own.state, own.subdomain), field_id(own.field), ahead);
  });
}
halocline_status halocline_host_array_upload(halocline_host_array* array, int32_t ahead) {
  return guarded([&] {
    const auto& own = required(array, "array");
    own.bytes.upload(subdomain_at(*own.state, own.subdomain), field_id(own.field), ahead);
  });
}
halocline_status halocline_host_array_destroy(halocline_host_array** array) {
  return guarded([&] { delete std::exchange(required(array, "array"), nullptr); });
}
