// SPDX-License-Identifier: BSD-3-Clause
// Domains: made, planned, realized, closed; their fields.
#include <chrono>
#include <string>

#include "communicators.hpp"
#include "convert.hpp"
#include "handles.hpp"

namespace halocline::c {
namespace {

/// shape: an extent, or boxes. comm: a Fortran handle, or nothing.
template <typename Shape>
void create(Shape shape, const halocline_stencil* stencil, std::optional<std::int64_t> comm,
            const halocline_options* options, halocline_domain** result) {
  halocline_domain*& made = required(result, "domain");
  const Stencil read = stencil_of(required(stencil, "stencil"));
  DomainOptions chosen = options_of(options);
  auto handle = std::make_unique<halocline_domain>();
  if (comm) {
    auto ranks = from_fortran_handle(*comm, chosen.timeout);
    handle->state = std::make_shared<DomainState>(std::move(shape), read, std::move(ranks), std::move(chosen));
  } else {
    handle->state = std::make_shared<DomainState>(std::move(shape), read, std::move(chosen));
  }
  made = handle.release();
}

OwnedBoxes owned(std::int32_t count, const halocline_box* boxes) {
  OwnedBoxes all;
  for (std::size_t i = 0; i < checked_count(count, boxes, "boxes"); ++i) all.boxes.push_back(box_of(boxes[i]));
  return all;
}

Vec3 extent_of(const std::int64_t* extent) {
  static_cast<void>(required(extent, "extent"));
  return vec(extent);
}

FieldDescriptor descriptor_of(const halocline_field_options* options) {
  FieldDescriptor field;
  if (options == nullptr) return field;
  const auto from = sized(*options, sizeof(halocline_field_options), "halocline_field_options");
  if (from.components != 0) field.components = from.components;
  if (from.buffers != 0) field.buffers = from.buffers;
  if (from.stencil != nullptr) field.stencil = stencil_of(*from.stencil);
  for (std::size_t dim = 0; dim < 3; ++dim) field.staggered[dim] = from.staggered[dim] != 0;
  if (from.wire != 0) field.wire = element_of(from.wire);
  if (from.component_directions != nullptr) {
    for (int c = 0; c < field.components; ++c)
      field.component_directions.push_back(directions_of(from.component_directions[c]));
  }
  return field;
}

}  // namespace

Planned planned(DomainState& state) {
  static_cast<void>(state.domain.subdomains());  // throws before the first plan(), which is collective
  return state.domain.plan();
}

const Subdomain& subdomain_at(const DomainState& state, std::int32_t position) {
  const auto all = state.domain.subdomains();
  if (position < 0 || static_cast<std::size_t>(position) >= all.size()) {
    throw InvalidArgument("subdomain is " + std::to_string(position) + "; allowed is 0 to " +
                          std::to_string(static_cast<std::int64_t>(all.size()) - 1));
  }
  const Subdomain& found = all[static_cast<std::size_t>(position)];
  return state.part != nullptr && state.part->id() == found.id() ? *state.part : found;
}

}  // namespace halocline::c

using halocline::c::create;
using halocline::c::descriptor_of;
using halocline::c::DomainState;
using halocline::c::element_of;
using halocline::c::extent_of;
using halocline::c::guarded;
using halocline::c::owned;
using halocline::c::planned;
using halocline::c::required;

halocline_status halocline_domain_create(const int64_t extent[3], const halocline_stencil* stencil,
                                         const halocline_options* options, halocline_domain** domain) {
  return guarded([&] { create(extent_of(extent), stencil, {}, options, domain); });
}
halocline_status halocline_domain_create_mpi(const int64_t extent[3], const halocline_stencil* stencil, int64_t comm,
                                             const halocline_options* options, halocline_domain** domain) {
  return guarded([&] { create(extent_of(extent), stencil, comm, options, domain); });
}
halocline_status halocline_domain_create_from_boxes(int32_t count, const halocline_box* boxes,
                                                    const halocline_stencil* stencil, const halocline_options* options,
                                                    halocline_domain** domain) {
  return guarded([&] { create(owned(count, boxes), stencil, {}, options, domain); });
}
halocline_status halocline_domain_create_from_boxes_mpi(int32_t count, const halocline_box* boxes,
                                                        const halocline_stencil* stencil, int64_t comm,
                                                        const halocline_options* options, halocline_domain** domain) {
  return guarded([&] { create(owned(count, boxes), stencil, comm, options, domain); });
}

halocline_status halocline_domain_plan(halocline_domain* domain) {
  return guarded([&] { required(domain, "domain").state->domain.plan(); });
}
halocline_status halocline_domain_tune(halocline_domain* domain, const char* file, double budget_seconds,
                                       int32_t again) {
  return guarded([&] {
    halocline::Domain& own = required(domain, "domain").state->domain;
    if (!(budget_seconds >= 0 && budget_seconds <= 3600)) {
      throw halocline::InvalidArgument("budget_seconds is " + std::to_string(budget_seconds) +
                                       "; allowed is 0 to 3600");
    }
    const std::chrono::duration<double> budget(budget_seconds == 0 ? 2 : budget_seconds);
    own.tune(file == nullptr ? "" : file, std::chrono::duration_cast<halocline::Duration>(budget), again != 0);
  });
}
halocline_status halocline_domain_realize(halocline_domain* domain) {
  return guarded([&] { required(domain, "domain").state->domain.realize(); });
}
halocline_status halocline_domain_close(halocline_domain* domain) {
  return guarded([&] {
    DomainState& state = *required(domain, "domain").state;
    state.exchange.reset();
    state.domain.close();
    state.streams.clear();
  });
}
halocline_status halocline_domain_destroy(halocline_domain** domain) {
  return guarded([&] { delete std::exchange(required(domain, "domain"), nullptr); });
}

halocline_status halocline_domain_rank(const halocline_domain* domain, int32_t* rank) {
  return guarded([&] {
    required(rank, "rank") = static_cast<std::int32_t>(planned(*required(domain, "domain").state).comm.rank().value());
  });
}
halocline_status halocline_domain_size(const halocline_domain* domain, int32_t* size) {
  return guarded([&] { required(size, "size") = planned(*required(domain, "domain").state).comm.size(); });
}
halocline_status halocline_domain_on_host(const halocline_domain* domain, int32_t* on_host) {
  return guarded([&] {
    required(on_host, "on_host") =
        planned(*required(domain, "domain").state).devices.kind() == halocline::DeviceKind::host ? 1 : 0;
  });
}

halocline_status halocline_domain_explain(halocline_domain* domain, const char** text) {
  return guarded([&] {
    DomainState& state = *required(domain, "domain").state;
    auto& result = required(text, "text");
    state.explanation = state.domain.explain();
    result = state.explanation.c_str();
  });
}
halocline_status halocline_domain_machine(halocline_domain* domain, const char** json) {
  return guarded([&] {
    DomainState& state = *required(domain, "domain").state;
    auto& result = required(json, "json");
    state.machine = planned(state).machine.json();
    result = state.machine.c_str();
  });
}

halocline_status halocline_domain_add_field(halocline_domain* domain, const char* name, int32_t element,
                                            const halocline_field_options* options, halocline_field* field) {
  return guarded([&] {
    auto& result = required(field, "field");
    halocline::FieldDescriptor descriptor = descriptor_of(options);
    descriptor.name = &required(name, "name");
    descriptor.element = element_of(element);
    result =
        static_cast<halocline_field>(required(domain, "domain").state->domain.add_field(std::move(descriptor)).value());
  });
}
