// SPDX-License-Identifier: BSD-3-Clause
#include "model/simulation/kernels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace halocline::model::simulation {
namespace {

using machine::HaloPath;
using routing::Transport;

constexpr double nano = 1e9;

}  // namespace

Kernels::Kernels(const machine::MachineMap& map, const placement::Placement& placement,
                 std::span<const routing::Route> routes, std::vector<SharedResource>& resources)
    : placement_(placement), resources_(resources), predictor_(map) {
  for (const routing::Route& route : routes) {
    if (!carry(route)) continue;
    auto& devices = route.from == route.to ? with_local_ : with_link_;
    devices.insert(device(route.from));
    devices.insert(device(route.to));
  }
}

bool Kernels::carry(const routing::Route& route) const {
  const bool is_kernel = route.transport == Transport::self || route.transport == Transport::direct;
  // The rates were measured within a node; what direct moves between nodes of a rack takes their links alone.
  return known() && is_kernel && placement_.of(route.from).node == placement_.of(route.to).node;
}

void Kernels::limit(Flow& flow, const routing::Route& route, const partition::Geometry& geometry,
                    const partition::Message& message, double route_latency) {
  const Load::Bytes rows = rows_of(geometry, message, predictor_.tuning());
  const auto share_of = [&](HaloPath path, const Device& device) {
    const Predictor::Share share = predictor_.share(path, is_beside(device), rows);
    flow.latency = std::max(flow.latency, share.latency - route_latency);
    least_[device] = std::max(least_[device], share.least);
    return share.busy;
  };
  const Device from = device(route.from);
  const Device to = device(route.to);
  if (route.from == route.to) {
    take(flow, Use::within, from, share_of(HaloPath::local, from));
  } else {
    take(flow, Use::send, from, share_of(HaloPath::link, from));
    take(flow, Use::receive, to, share_of(HaloPath::link, to));
  }
}

void Kernels::limit_packing(Flow& flow, const placement::Slot& slot, const partition::Geometry& geometry,
                            const partition::Message& message) {
  constexpr exchange::Tuning as_they_lie{.pack_short_rows_from_bytes = std::numeric_limits<std::int64_t>::max(),
                                         .packets_at_most_bytes = 0};
  const Load::Bytes rows = rows_of(geometry, message, as_they_lie);
  take(flow, Use::within, {slot.node, slot.device}, predictor_.share(HaloPath::local, false, rows).busy);
}

std::vector<Flow> Kernels::least() {
  std::vector<Flow> flows;
  for (const auto& [device, seconds] : least_) {
    Flow flow;
    flow.latency = seconds;
    flow.resources = {position(Use::send, device)};
    flow.work = true;
    flows.push_back(std::move(flow));
  }
  return flows;
}

Kernels::Device Kernels::device(subdomain_id subdomain) const {
  const placement::Slot& slot = placement_.of(subdomain);
  return {slot.node, slot.device};
}

bool Kernels::is_beside(const Device& device) const {
  return with_local_.contains(device) && with_link_.contains(device);
}

void Kernels::take(Flow& flow, Use use, const Device& device, double seconds) {
  if (flow.bytes == 0 || seconds == 0) return;
  flow.resources.push_back(position(use, device));
  flow.weights.push_back(nano * seconds / static_cast<double>(flow.bytes));
}

int Kernels::position(Use use, const Device& device) {
  const auto [found, is_new] = uses_.try_emplace({use, device}, static_cast<int>(resources_.size()));
  if (is_new) {
    constexpr const char* names[] = {"kernels within", "kernels that send from", "kernels that send to"};
    resources_.push_back({fmt::format("{} device {} of node {}", names[static_cast<int>(use)], device.second.value(),
                                      device.first.value()),
                          nano, "kernel"});
  }
  return found->second;
}

}  // namespace halocline::model::simulation
