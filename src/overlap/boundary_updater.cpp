// SPDX-License-Identifier: BSD-3-Clause
#include "overlap/boundary_updater.hpp"

namespace halocline::overlap {

BoundaryUpdater::BoundaryUpdater(device::Backend& backend, std::vector<Part> parts) : backend_(&backend) {
  for (Part& part : parts) {
    State& state = states_.emplace_back();
    state.part = std::move(part);
  }
}

/// Normal priority: blocks of an outer part are short, and fill what the last blocks of the interior leave of the device. Before
/// them they would only leave the long ones for the end.
BoundaryUpdater::Lane& BoundaryUpdater::next_lane(State& state) {
  if (state.lanes_used == state.lanes.size()) {
    const int device = state.part.device;
    state.lanes.push_back(
        {backend_->create_stream(device, device::Priority::normal, "outer update"), backend_->create_event(device)});
  }
  return state.lanes[state.lanes_used++];
}

void BoundaryUpdater::hand_out(const exchange::Exchange& exchange, std::size_t place,
                               const std::vector<std::size_t>& segments, const Update& update) {
  if (segments.empty()) return;
  State& state = states_[place];
  const Part& part = state.part;
  Directions needs;
  std::vector<Box> boxes;
  for (const std::size_t i : segments) {
    state.handed_out[i] = true;
    needs |= part.segments[i].needs;
    boxes.push_back(part.segments[i].box);
  }
  const Lane& lane = next_lane(state);
  exchange.join(place, needs, *lane.stream);
  update(place, *lane.stream, segments.size() == part.segments.size() ? part.boundary : boxes);
  lane.stream->record(*lane.done);
}

void BoundaryUpdater::hand_out_ready(const exchange::Exchange& exchange, std::size_t place, const Update& update) {
  const State& state = states_[place];
  const Directions awaited = exchange.awaited(place);
  const Directions filled = exchange.filled(place);
  const Directions by_device = exchange.filled_by_device(place);
  std::vector<std::size_t> here;
  std::vector<std::size_t> behind_devices;
  for (std::size_t i = 0; i < state.part.segments.size(); ++i) {
    const Directions& needs = state.part.segments[i].needs;
    // Parts that read other sides, or no side that orders them after the exchange's start, are left to finish_others().
    if (state.handed_out[i] || needs.none() || (needs & ~filled).any() || (needs & awaited).any()) continue;
    ((needs & by_device).any() ? behind_devices : here).push_back(i);
  }
  hand_out(exchange, place, here, update);
  hand_out(exchange, place, behind_devices, update);
}

void BoundaryUpdater::finish(exchange::Exchange& exchange, std::span<device::Stream* const> users,
                             const Update& update) {
  for (State& state : states_) {
    state.handed_out.assign(state.part.segments.size(), false);
    state.lanes_used = 0;
  }
  exchange.finish([&] {
    for (std::size_t place = 0; place < states_.size(); ++place) hand_out_ready(exchange, place, update);
  });
  for (std::size_t place = 0; place < states_.size(); ++place) {
    for (std::size_t i = 0; i < states_[place].lanes_used; ++i) users[place]->wait(*states_[place].lanes[i].done);
  }
}

void BoundaryUpdater::finish_others(std::span<device::Stream* const> users, const Update& update) {
  for (std::size_t place = 0; place < states_.size(); ++place) {
    const State& state = states_[place];
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < state.part.segments.size(); ++i) {
      if (!state.handed_out[i]) boxes.push_back(state.part.segments[i].box);
    }
    if (boxes.empty()) continue;
    update(place, *users[place], boxes.size() == state.part.segments.size() ? state.part.boundary : boxes);
  }
}

}  // namespace halocline::overlap
