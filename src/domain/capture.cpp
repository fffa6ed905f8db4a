// SPDX-License-Identifier: BSD-3-Clause
// Steps that are captured and launched. In each group of streams the first one is the origin of the capture; the others
// fork from it and join it. A group is the streams of one device, so that devices start independently, or all streams
// if events of several devices wait for each other in an exchange.
#include <fmt/core.h>

#include <algorithm>

#include "domain/detail/domain_impl.hpp"

namespace halocline {

std::vector<Domain::Impl::StreamGroup> Domain::Impl::stream_groups() const {
  const bool joined = exchange->joins_devices() || (accumulation && accumulation->exchange().joins_devices());
  std::vector<StreamGroup> groups;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto with = std::ranges::find_if(groups, [&](const StreamGroup& group) {
      return joined || streams[group.front()]->device() == streams[i]->device();
    });
    if (with == groups.end()) {
      groups.push_back({i});
    } else {
      with->push_back(i);
    }
  }
  return groups;
}

/// Makes the first stream wait for the work in the others.
void Domain::Impl::gather_streams(const StreamGroup& group) {
  for (std::size_t i = 1; i < group.size(); ++i) {
    streams[group[i]]->record(*marks[group[i]]);
    streams[group.front()]->wait(*marks[group[i]]);
  }
}

/// Makes the others wait for the work in the first.
void Domain::Impl::spread_streams(const StreamGroup& group) {
  if (group.size() == 1) return;
  streams[group.front()]->record(*marks[group.front()]);
  for (std::size_t i = 1; i < group.size(); ++i) streams[group[i]]->wait(*marks[group.front()]);
}

std::vector<Domain::Impl::Recorded> Domain::Impl::record(const std::function<void()>& steps) {
  const std::vector<StreamGroup> groups = stream_groups();
  std::vector<device::Stream*> began;
  std::vector<Recorded> recorded;
  try {
    for (const StreamGroup& group : groups) {
      streams[group.front()]->begin_capture();
      began.push_back(streams[group.front()]);
      spread_streams(group);
    }
    steps();
    for (const StreamGroup& group : groups) gather_streams(group);
    while (!began.empty()) {
      device::Stream* const first = began.front();
      began.erase(began.begin());
      recorded.push_back({groups[recorded.size()], first->end_capture()});
    }
  } catch (...) {
    for (device::Stream* first : began) {
      try {
        static_cast<void>(first->end_capture());
      } catch (const Error&) {
        // Streams that did not join: the first exception has the reason.
      }
    }
    throw;
  }
  return recorded;
}

Graph::Graph(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

Graph Domain::capture(const std::function<void()>& steps) {
  impl_->check_idle("capture()");
  const std::vector<int> before = impl_->current;
  const auto stored_before = impl_->stored;
  const auto exchanged_before = impl_->exchanged;
  const auto take_back = [&] {
    impl_->stored = stored_before;
    impl_->exchanged = exchanged_before;
    if (impl_->exchange->under_way()) impl_->exchange->forget_captured();
    if (impl_->accumulation) impl_->accumulation->exchange().forget_captured();
  };
  std::vector<Impl::Recorded> recorded;
  try {
    recorded = impl_->record(steps);
  } catch (...) {
    impl_->current = before;
    take_back();
    throw;
  }
  const bool unfinished = impl_->exchange->under_way();
  const std::vector<int> after = std::exchange(impl_->current, before);
  const auto stored_after = impl_->stored;
  take_back();
  if (unfinished) {
    throw InvalidArgument("captured steps start an exchange that they do not finish; allowed are whole exchanges");
  }
  for (std::size_t f = 0; f < before.size(); ++f) {
    if (after[f] == before[f]) continue;
    throw InvalidArgument(fmt::format(
        "captured steps swap field '{}' from buffer {} to buffer {}; allowed are whole cycles of its {} buffers",
        impl_->fields[f].name, before[f], after[f], impl_->fields[f].buffers));
  }
  for (std::size_t f = 0; f < before.size(); ++f) {
    if (stored_after[f] == stored_before[f]) continue;
    throw InvalidArgument(fmt::format(
        "captured steps leave other cells of field '{}' stored by kernels (mark_stored) than they begin with; "
        "allowed are whole cycles, behind a step that stores as the captured ones do",
        impl_->fields[f].name));
  }
  auto graph = std::make_unique<Graph::Impl>();
  graph->domain = impl_.get();
  graph->recorded = std::move(recorded);
  graph->stored = stored_before;
  return Graph(std::move(graph));
}

void Graph::launch() const {
  Domain::Impl& domain = *impl_->domain;
  domain.check_idle("launch()");
  for (std::size_t f = 0; f < domain.stored.size(); ++f) {
    if (domain.stored[f] == impl_->stored[f]) continue;
    throw InvalidArgument(
        fmt::format("launch: other cells of field '{}' are stored by kernels (mark_stored) than when the steps were "
                    "captured; allowed are the same",
                    domain.fields[f].name));
  }
  domain.exchange->check_others("launch()");
  for (const auto& [group, graph] : impl_->recorded) {
    domain.gather_streams(group);
    domain.streams[group.front()]->launch(*graph);
    domain.spread_streams(group);
  }
}

}  // namespace halocline
