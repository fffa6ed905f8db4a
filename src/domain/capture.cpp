// SPDX-License-Identifier: BSD-3-Clause
// Steps that are captured and launched. In each group of streams the first one is the origin of the capture; the others
// fork from it and join it. A group is the streams of one device, so that devices start independently, or all streams
// if events of several devices wait for each other in an exchange.
#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "domain/detail/domain_impl.hpp"

namespace halocline {

std::vector<Domain::Impl::StreamGroup> Domain::Impl::stream_groups() const {
  const bool joined = exchange->joins_devices() || (accumulation && accumulation->exchange().joins_devices()) ||
                      (reductions && reductions->joins_devices());
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

void Domain::Impl::begin_capture() {
  check_idle("capture()");
  if (capturing) throw InvalidArgument("capture() must not be called while another is under way; finish() it before");
  capturing = std::make_shared<Capturing>(Capturing{.current = current, .groups = stream_groups()});
  try {
    exchange->guard([this] {
      for (const StreamGroup& group : capturing->groups) {
        streams[group.front()]->begin_capture();
        ++capturing->begun;
        spread_streams(group);
      }
    });
  } catch (...) {
    discard_capture();
    throw;
  }
}

std::vector<Domain::Impl::Recorded> Domain::Impl::recorded() {
  for (const StreamGroup& group : capturing->groups) gather_streams(group);
  std::vector<Recorded> all;
  for (const StreamGroup& group : capturing->groups) {
    ++capturing->ended;
    all.push_back({group, streams[group.front()]->end_capture()});
  }
  return all;
}

/// The fields and exchanges are as before the capture.
void Domain::Impl::take_back_captured() {
  current = std::move(capturing->current);
  if (exchange->under_way()) exchange->forget_captured();
  if (accumulation) accumulation->exchange().forget_captured();
  if (reductions) reductions->forget_captured();
  capturing.reset();
}

void Domain::Impl::discard_capture() noexcept {
  for (std::size_t i = capturing->ended; i < capturing->begun; ++i) {
    try {
      static_cast<void>(streams[capturing->groups[i].front()]->end_capture());
    } catch (const std::exception&) {
      // Streams that did not join, or no memory: the first exception has the reason.
    }
  }
  take_back_captured();
}

std::vector<Domain::Impl::Recorded> Domain::Impl::take_graphs() noexcept {
  std::vector<Recorded> all;
  for (const auto& one : std::exchange(graphs, {})) {
    const auto graph = one.lock();
    if (!graph) continue;
    graph->domain = nullptr;
    std::ranges::move(std::exchange(graph->recorded, {}), std::back_inserter(all));
  }
  return all;
}

Graph::Graph(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

Capture Domain::capture() {
  impl_->begin_capture();
  return Capture(*this, impl_->capturing);
}

Capture::~Capture() {
  if (!under_way_.expired()) Domain::Impl::of(*domain_).discard_capture();
}

Graph Capture::finish() {
  if (under_way_.expired()) {
    throw InvalidArgument("finish() of a capture that has ended; allowed is once for each capture(), before close()");
  }
  Domain::Impl& domain = Domain::Impl::of(*domain_);
  const Domain::Impl::Capturing before = *domain.capturing;
  auto graph = std::make_shared<Graph::Impl>();
  graph->domain = &domain;
  try {
    // A stream that has failed is the domain's failure, which other ranks learn; captured steps that cannot end are the caller's.
    domain.exchange->guard([&] {
      for (device::Stream* stream : domain.streams) stream->raise_failure();
    });
    // First: its streams have not joined, so that captured steps cannot end.
    if (domain.exchange->under_way()) {
      throw InvalidArgument("captured steps start an exchange that they do not finish; allowed are whole exchanges");
    }
    graph->recorded = domain.recorded();
  } catch (...) {
    domain.discard_capture();
    throw;
  }
  const std::vector<int> current = domain.current;
  domain.take_back_captured();
  for (std::size_t f = 0; f < current.size(); ++f) {
    if (current[f] != before.current[f]) {
      throw InvalidArgument(fmt::format(
          "captured steps swap field '{}' from buffer {} to buffer {}; allowed are whole cycles of its {} buffers",
          domain.fields[f].name, before.current[f], current[f], domain.fields[f].buffers));
    }
  }
  std::erase_if(domain.graphs, [](const auto& one) { return one.expired(); });
  domain.graphs.push_back(graph);
  return Graph(std::move(graph));
}

void Graph::launch() const {
  if (impl_->domain == nullptr) {
    throw InvalidArgument("launch() of steps whose domain is closed; allowed are steps of an open one");
  }
  Domain::Impl& domain = *impl_->domain;
  domain.check_idle("launch()");
  domain.exchange->check_others("launch()");
  domain.exchange->guard([&] {
    for (const auto& [group, graph] : impl_->recorded) {
      domain.gather_streams(group);
      domain.streams[group.front()]->launch(*graph);
      domain.spread_streams(group);
    }
  });
}

}  // namespace halocline
