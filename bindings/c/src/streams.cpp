// SPDX-License-Identifier: BSD-3-Clause
// Streams and captured steps.
#include "convert.hpp"
#include "handles.hpp"

using halocline::Event;
using halocline::InvalidArgument;
using halocline::Stream;
using halocline::Subdomain;
using halocline::c::box_of;
using halocline::c::checked_count;
using halocline::c::DomainState;
using halocline::c::guarded;
using halocline::c::planned;
using halocline::c::required;
using halocline::c::subdomain_at;

namespace {

/// Calls f(the caller's stream, an event, the subdomain's stream) for each local subdomain.
template <typename F>
void with_stream(halocline_domain* domain, void* native, F&& f) {
  DomainState& state = *required(domain, "domain").state;
  const halocline::Devices devices = planned(state).devices;
  for (const Subdomain& at : state.domain.subdomains()) {
    const auto users = devices.borrow_stream(at.device(), native);
    const auto event = devices.create_event(at.device());
    f(*users, *event, at.stream());
  }
}

}  // namespace

halocline_status halocline_subdomain_stream(const halocline_domain* domain, int32_t subdomain, void** stream) {
  return guarded([&] {
    required(stream, "stream") = subdomain_at(*required(domain, "domain").state, subdomain).stream().native();
  });
}

halocline_status halocline_domain_use_streams(halocline_domain* domain, int32_t count, void* const* streams) {
  return guarded([&] {
    DomainState& state = *required(domain, "domain").state;
    const std::size_t given = checked_count(count, streams, "streams");
    const auto subdomains = state.domain.subdomains();
    if (given != subdomains.size()) {
      throw InvalidArgument("number of streams is " + std::to_string(given) + "; allowed is " +
                            std::to_string(subdomains.size()) + ", one for each local subdomain");
    }
    const halocline::Devices devices = planned(state).devices;
    std::vector<std::unique_ptr<Stream>> borrowed;
    std::vector<Stream*> all;
    for (std::size_t i = 0; i < given; ++i) {
      borrowed.push_back(devices.borrow_stream(subdomains[i].device(), streams[i]));
      all.push_back(borrowed.back().get());
    }
    state.domain.use_streams(all);
    state.streams = std::move(borrowed);
  });
}

halocline_status halocline_domain_wait_for_stream(halocline_domain* domain, void* stream) {
  return guarded([&] {
    with_stream(domain, stream, [](Stream& users, Event& event, Stream& own) {
      users.record(event);
      own.wait(event);
    });
  });
}

halocline_status halocline_domain_let_stream_wait(halocline_domain* domain, void* stream) {
  return guarded([&] {
    with_stream(domain, stream, [](Stream& users, Event& event, Stream& own) {
      own.record(event);
      users.wait(event);
    });
  });
}

halocline_status halocline_subdomain_launch(const halocline_domain* domain, int32_t subdomain, const halocline_box* box,
                                            halocline_body body, void* user) {
  return guarded([&] {
    const Subdomain& at = subdomain_at(*required(domain, "domain").state, subdomain);
    if (body == nullptr) throw InvalidArgument("body is NULL; allowed is a function");
    at.launch(box_of(required(box, "box")), [body, user](const halocline::Box& part) {
      const halocline_box c_part = box_of(part);
      body(&c_part, user);
    });
  });
}

halocline_status halocline_domain_begin_capture(halocline_domain* domain) {
  return guarded([&] {
    DomainState& state = *required(domain, "domain").state;
    state.capture.emplace(state.domain.capture());
  });
}

halocline_status halocline_domain_end_capture(halocline_domain* domain, halocline_graph** graph) {
  return guarded([&] {
    const auto& state = required(domain, "domain").state;
    auto& result = required(graph, "graph");
    if (!state->capture) {
      throw InvalidArgument("no capture is under way; allowed is its end after halocline_domain_begin_capture()");
    }
    halocline::Capture ending = *std::exchange(state->capture, std::nullopt);
    result = new halocline_graph{state, ending.finish()};
  });
}

halocline_status halocline_graph_launch(halocline_graph* graph) {
  return guarded([&] { required(graph, "graph").steps.launch(); });
}

halocline_status halocline_graph_destroy(halocline_graph** graph) {
  return guarded([&] { delete std::exchange(required(graph, "graph"), nullptr); });
}
