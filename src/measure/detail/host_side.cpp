// SPDX-License-Identifier: BSD-3-Clause
#include <deque>

#include "comm/agree.hpp"
#include "halocline/error.hpp"
#include "measure/detail/kernels.hpp"
#include "measure/detail/stages.hpp"

namespace halocline::machine::measuring {
namespace {

constexpr int host = Measurement::host;

Measurement entry(const Session& session, int from, int to, std::string_view method, Traffic traffic, int numa) {
  return {.from = from,
          .to = to,
          .method = std::string(method),
          .traffic = traffic,
          .numa = numa,
          .bytes = session.request().bytes};
}

/// Both directions between a device and a part of pinned memory: what is read is the front half, what is written the
/// back half.
struct Ways {
  Transfer to_device;
  Transfer from_device;
};

Ways by_copy(Session& session, int device, std::byte* front, std::byte* back) {
  std::byte* const target = session.target(device, device).data;
  const std::byte* const source = session.source(device, device).data;
  return {[=](device::Stream& stream, std::size_t bytes) { stream.copy(target, front, bytes); },
          [=](device::Stream& stream, std::size_t bytes) { stream.copy(back, source, bytes); }};
}

Ways by_kernel(Session& session, int device, std::byte* front, std::byte* back) {
  std::byte* const target = session.target(device, device).data;
  const std::byte* const source = session.source(device, device).data;
  const DeviceKind kind = session.backend().kind();
  const int number = session.native(device);
  return {
      [=](device::Stream& stream, std::size_t bytes) { copy_by_kernel(kind, number, stream, target, front, bytes); },
      [=](device::Stream& stream, std::size_t bytes) { copy_by_kernel(kind, number, stream, back, source, bytes); }};
}

void measure_ways(Session& session, int device, std::string_view method, int numa, const Ways& ways) {
  const std::size_t bytes = session.bytes();
  session.found(entry(session, host, device, method, Traffic::one_way, numa),
                session.time_alone(device, ways.to_device, bytes));
  session.found(entry(session, device, host, method, Traffic::one_way, numa),
                session.time_alone(device, ways.from_device, bytes));
  std::deque<Lane> lanes;
  for (int i = 0; i < 2; ++i) lanes.emplace_back(session.backend(), session.slot(device).ordinal);
  std::vector<Session::Job> jobs{{&lanes[0], ways.to_device, {}}, {&lanes[1], ways.from_device, {}}};
  session.time(jobs, Gate::Scope::rank, bytes);
  session.found(entry(session, host, device, method, Traffic::two_way, numa), jobs[0].times);
  session.found(entry(session, device, host, method, Traffic::two_way, numa), jobs[1].times);
}

/// pinned and mapped from each NUMA node; from memory of any where none can be had.
void measure_pinned(Session& session, int device, const NumaNodes& numa) {
  std::vector<std::pair<int, std::byte*>> memories;
  for (const auto& [vertex, number] : numa) {
    try {
      memories.emplace_back(vertex, session.host_memory(vertex, number));
    } catch (const CapabilityError& error) {
      for (const std::string_view method : {"pinned", "mapped"}) session.leave_out(method, error.what());
    }
  }
  if (memories.empty()) memories.emplace_back(-1, session.host_memory(-1, -1));
  for (const auto& [vertex, front] : memories) {
    std::byte* const back = front + session.capacity();
    measure_ways(session, device, "pinned", vertex, by_copy(session, device, front, back));
    if (!session.kernels_can()) {
      session.leave_out("mapped", "kernels move words of 8 bytes");
      continue;
    }
    measure_ways(session, device, "mapped", vertex, by_kernel(session, device, front, back));
  }
}

void found_both(Session& session, int device, std::string_view method, std::size_t bytes, const cuda::Result& result,
                int numa = -1) {
  if (!result.why_not.empty()) return session.leave_out(method, result.why_not);
  for (const bool to_device : {true, false}) {
    Measurement what =
        entry(session, to_device ? host : device, to_device ? device : host, method, Traffic::one_way, numa);
    what.bytes = static_cast<std::int64_t>(bytes);
    session.found(std::move(what), to_device ? result.there : result.back);
  }
}

/// From each NUMA node where there are several, else from any.
void measure_pageable(Session& session, int device, const NumaNodes& numa) {
  NumaNodes places{{-1, -1}};
  if (numa.size() > 1) places = numa;
  for (const auto& [vertex, number] : places) {
    try {
      const auto memory = pageable_memory(session.capacity(), number);
      found_both(session, device, "pageable", session.bytes(),
                 cuda::pageable(session.native(device), session.target(device, device).data, memory->data(),
                                session.bytes(), session.request().repeats),
                 vertex);
    } catch (const CapabilityError& error) {
      session.leave_out("pageable", error.what());
    }
  }
}

void measure_driver_paths(Session& session, int device, const NumaNodes& numa) {
  if (session.backend().kind() != DeviceKind::cuda) {
    for (const std::string_view method : {"pageable", "managed_demand", "managed_prefetch"}) {
      session.leave_out(method, "all memory of the host backend is of one kind");
    }
    return;
  }
  const int number = session.native(device);
  const int repeats = session.request().repeats;
  std::byte* const on_device = session.target(device, device).data;
  measure_pageable(session, device, numa);
  const std::size_t managed = std::min(session.bytes(), cuda::most_managed_bytes);
  if (session.kernels_can()) {
    found_both(session, device, "managed_demand", managed,
               cuda::managed(number, on_device, managed, repeats, cuda::Managed::demand));
  } else {
    session.leave_out("managed_demand", "kernels move words of 8 bytes");
  }
  found_both(session, device, "managed_prefetch", managed,
             cuda::managed(number, on_device, managed, repeats, cuda::Managed::prefetch));
}

/// The NUMA node that a device is near to, where it is known and in the list; else the first one.
std::pair<int, int> near(Session& session, int device, const NumaNodes& numa) {
  const int number = session.backend().info(session.slot(device).ordinal).numa;
  for (const auto& entry : numa) {
    if (entry.second == number) return entry;
  }
  return numa.empty() ? std::pair(-1, -1) : numa.front();
}

/// All devices of the node and both directions at once. Each has a part of its rank's pinned memory to itself.
void measure_all(Session& session, const NumaNodes& numa) {
  const std::size_t slice = session.slice_bytes();
  if (slice < small_bytes || session.devices() < 2) return;
  std::deque<Lane> lanes;
  std::vector<Session::Job> jobs;
  std::vector<Measurement> what;
  comm::agree_on(session.node(), [&] {
    for (int d = 0; d < session.devices(); ++d) {
      if (!session.mine(d)) continue;
      std::pair<int, int> place = near(session, d, numa);
      std::byte* memory = nullptr;
      try {
        memory = session.host_memory(place.first, place.second);
      } catch (const CapabilityError&) {  // told for each device before
        place = {-1, -1};
        memory = session.host_memory(-1, -1);
      }
      std::byte* const front = memory + static_cast<std::size_t>(d) * slice;
      const Ways ways = by_copy(session, d, front, front + session.capacity());
      for (const bool to_device : {true, false}) {
        lanes.emplace_back(session.backend(), session.slot(d).ordinal);
        jobs.push_back({&lanes.back(), to_device ? ways.to_device : ways.from_device, {}});
        what.push_back(
            entry(session, to_device ? host : d, to_device ? d : host, "pinned", Traffic::all_pairs, place.first));
        what.back().bytes = static_cast<std::int64_t>(slice);
      }
    }
  });
  session.time(jobs, Gate::Scope::node, slice);
  for (std::size_t j = 0; j < jobs.size(); ++j) session.found(what[j], jobs[j].times);
}

}  // namespace

void measure_host(Session& session, const NumaNodes& numa) {
  for (int d = 0; d < session.devices(); ++d) {
    if (!session.time_left({"pinned", "mapped", "pageable", "managed_demand", "managed_prefetch"})) continue;
    comm::agree_on(session.node(), [&] {
      if (!session.mine(d)) return;
      measure_pinned(session, d, numa);
      measure_driver_paths(session, d, numa);
    });
  }
  if (session.time_left({"pinned"})) measure_all(session, numa);
  session.release_host_memory();
}

}  // namespace halocline::machine::measuring
