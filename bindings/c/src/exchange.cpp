// SPDX-License-Identifier: BSD-3-Clause
// Exchanges, accumulations, open boundaries.
#include <algorithm>
#include <string_view>

#include "convert.hpp"
#include "handles.hpp"

using halocline::Domain;
using halocline::ExchangeHandle;
using halocline::field_id;
using halocline::InvalidArgument;
using halocline::reduction_id;
using halocline::Subdomain;
using halocline::c::box_of;
using halocline::c::check_callback;
using halocline::c::DomainState;
using halocline::c::enumerator;
using halocline::c::guarded;
using halocline::c::required;
using halocline::c::transfers_of;

namespace {

/// Calls a function of the caller's for a subdomain, with its position; work in the subdomain's stream goes into the stream of `at`.
template <typename F>
void call_back(DomainState& state, const Subdomain& at, std::string_view name, F&& f) {
  const auto all = state.domain.subdomains();
  const auto found = std::ranges::find_if(all, [&](const Subdomain& one) { return one.id() == at.id(); });
  state.part = &at;
  const halocline_status status = f(static_cast<std::int32_t>(found - all.begin()));
  state.part = nullptr;
  check_callback(name, status);
}

/// Calls f with the exchange that is under way, which ends by it.
template <typename F>
void end_exchange(DomainState& state, F&& f) {
  if (!state.exchange) {
    throw InvalidArgument("no exchange is under way; allowed is finish after halocline_domain_start_exchange()");
  }
  f(*state.exchange);
  state.exchange.reset();
}

}  // namespace

halocline_status halocline_domain_exchange(halocline_domain* domain, int32_t count,
                                           const halocline_transfer* transfers) {
  return guarded([&] {
    Domain& own = required(domain, "domain").state->domain;
    if (count == 0) return own.exchange();
    own.exchange(transfers_of(count, transfers));
  });
}

halocline_status halocline_domain_start_exchange(halocline_domain* domain, int32_t count,
                                                 const halocline_transfer* transfers) {
  return guarded([&] {
    DomainState& state = *required(domain, "domain").state;
    state.exchange.emplace(count == 0 ? state.domain.start_exchange()
                                      : state.domain.start_exchange(transfers_of(count, transfers)));
  });
}

halocline_status halocline_domain_finish_exchange(halocline_domain* domain) {
  return guarded(
      [&] { end_exchange(*required(domain, "domain").state, [](ExchangeHandle& exchange) { exchange.finish(); }); });
}

halocline_status halocline_domain_finish_exchange_with(halocline_domain* domain, halocline_boundary_update update,
                                                       void* user) {
  return guarded([&] {
    DomainState& state = *required(domain, "domain").state;
    if (update == nullptr) throw InvalidArgument("update is NULL; allowed is a function");
    const auto call = [&](const Subdomain& at, std::span<const halocline::Box> boxes) {
      std::vector<halocline_box> all;
      for (const halocline::Box& box : boxes) all.push_back(box_of(box));
      call_back(state, at, "the update of a boundary", [&](std::int32_t position) {
        return update(position, static_cast<std::int32_t>(all.size()), all.data(), user);
      });
    };
    end_exchange(state, [&](ExchangeHandle& exchange) { exchange.finish(call); });
  });
}

halocline_status halocline_domain_is_ready(halocline_domain* domain, int32_t* ready) {
  return guarded([&] {
    DomainState& state = *required(domain, "domain").state;
    required(ready, "ready") = !state.exchange || state.exchange->is_ready() ? 1 : 0;
  });
}

halocline_status halocline_domain_accumulate(halocline_domain* domain, int32_t combine, int32_t count,
                                             const halocline_transfer* transfers) {
  return guarded([&] {
    Domain& own = required(domain, "domain").state->domain;
    const auto how = enumerator<halocline::Combine>(combine, HALOCLINE_ADD, HALOCLINE_REPLACE, "combine");
    if (count == 0) return own.accumulate(how);
    own.accumulate(transfers_of(count, transfers), how);
  });
}

halocline_status halocline_domain_add_reduction(halocline_domain* domain, halocline_field field, int32_t what,
                                                halocline_reduction* reduction) {
  return guarded([&] {
    auto& result = required(reduction, "reduction");
    const auto how = enumerator<halocline::Reduce>(what, HALOCLINE_SUM, HALOCLINE_MAX_ABS, "what");
    result = static_cast<halocline_reduction>(
        required(domain, "domain").state->domain.add_reduction(field_id(field), how).value());
  });
}

halocline_status halocline_domain_reduce(halocline_domain* domain, int32_t count,
                                         const halocline_reduction* reductions) {
  return guarded([&] {
    const std::span all(reductions, halocline::c::checked_count(count, reductions, "reductions"));
    required(domain, "domain").state->domain.reduce(std::vector<reduction_id>(all.begin(), all.end()));
  });
}

halocline_status halocline_domain_value(halocline_domain* domain, halocline_reduction reduction, double* value) {
  return guarded([&] {
    auto& result = required(value, "value");
    result = required(domain, "domain").state->domain.value(reduction_id(reduction));
  });
}

halocline_status halocline_subdomain_result(halocline_domain* domain, int32_t subdomain, halocline_reduction reduction,
                                            const double** result) {
  return guarded([&] {
    auto& found = required(result, "result");
    found = halocline::c::subdomain_at(*required(domain, "domain").state, subdomain).result(reduction_id(reduction));
  });
}

halocline_status halocline_domain_swap(halocline_domain* domain, halocline_field field) {
  return guarded([&] { required(domain, "domain").state->domain.swap(field_id(field)); });
}

halocline_status halocline_domain_synchronize(halocline_domain* domain) {
  return guarded([&] { required(domain, "domain").state->domain.synchronize(); });
}

halocline_status halocline_domain_on_open_boundary(halocline_domain* domain, halocline_boundary_fill fill, void* user) {
  return guarded([&] {
    DomainState& state = *required(domain, "domain").state;
    if (fill == nullptr) return state.domain.on_open_boundary({});
    state.domain.on_open_boundary(
        [&state, fill, user](const Subdomain& at, field_id field, const halocline::overlap::OpenBoundaryBox& open) {
          const halocline_box box = box_of(open.box);
          call_back(state, at, "the filling of an open boundary", [&](std::int32_t position) {
            return fill(position, static_cast<halocline_field>(field.value()), static_cast<std::int32_t>(open.dim),
                        static_cast<std::int32_t>(open.side), &box, user);
          });
        });
  });
}

halocline_status halocline_domain_measure(halocline_domain* domain, halocline_kernel kernel, void* user,
                                          double* speeds) {
  return guarded([&] {
    DomainState& state = *required(domain, "domain").state;
    static_cast<void>(required(speeds, "speeds"));
    if (kernel == nullptr) throw InvalidArgument("kernel is NULL; allowed is a function");
    const std::vector<double> found = state.domain.measure([&state, kernel, user](const Subdomain& at) {
      call_back(state, at, "the kernel of a measurement",
                [&](std::int32_t position) { return kernel(position, user); });
    });
    std::ranges::copy(found, speeds);
  });
}

halocline_status halocline_domain_rebalance(halocline_domain* domain, int32_t count, const double* speeds) {
  return guarded([&] {
    Domain& own = required(domain, "domain").state->domain;
    own.rebalance(std::span(speeds, halocline::c::checked_count(count, speeds, "speeds")));
  });
}

halocline_status halocline_domain_fill_open_boundaries(halocline_domain* domain, int32_t step) {
  return guarded([&] {
    for (const Subdomain& at : required(domain, "domain").state->domain.subdomains()) at.fill_open_boundaries(step);
  });
}
