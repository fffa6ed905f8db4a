// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/node_moves.hpp"

#include "core/at.hpp"
#include "plan/detail/node_network.hpp"
#include "plan/detail/slots.hpp"

namespace halocline {

NodeMoves::NodeMoves(const machine::MachineMap& map, const machine::Interconnect& interconnect,
                     const std::vector<placement::Slot>& slots)
    : first_(first_slots(slots)), network_(node_network(map, interconnect, slots, first_)) {
  for (int n = 0; n < nodes(); ++n) node_of_.resize(at(first_[at(n) + 1]), n);
}

bool NodeMoves::equal_numbers() const {
  for (int n = 0; n < nodes(); ++n) {
    if (first_[at(n)] != n * first_[1]) return false;
  }
  return first_.back() == nodes() * first_[1];
}

std::vector<int> NodeMoves::nodes_of(std::span<const int> slot_of) const {
  std::vector<int> nodes;
  nodes.reserve(slot_of.size());
  for (const int slot : slot_of) nodes.push_back(node_of_[at(slot)]);
  return nodes;
}

std::vector<std::vector<int>> NodeMoves::of_whole_nodes(const Messages& messages, const std::vector<int>& slot_of,
                                                        const mapping::Effort& effort) const {
  const std::vector<int> group_of = nodes_of(slot_of);
  mapping::CommunicationMatrix matrix(nodes());
  for (const partition::Flow& flow : messages.list) {
    const int from = group_of[flow.from.index()];
    const int to = group_of[flow.to.index()];
    if (from != to) matrix.add(from, to, flow.bytes);
  }
  std::vector<int> in_order;
  for (int n = 0; n < nodes(); ++n) in_order.push_back(n);
  const mapping::MappingProblem problem{&matrix, &network_, std::vector<int>(at(nodes()), 1)};
  std::vector<std::vector<int>> found;
  for (const std::vector<int>& node_of_group : mapping::alternatives(problem, in_order, effort)) {
    std::vector<int>& moved = found.emplace_back();
    for (std::size_t s = 0; s < slot_of.size(); ++s) {
      const int position = slot_of[s] - first_[at(group_of[s])];
      moved.push_back(first_[at(node_of_group[at(group_of[s])])] + position);
    }
  }
  return found;
}

std::vector<int> NodeMoves::of_subdomains(const Messages& messages, const std::vector<int>& slot_of,
                                          const mapping::Effort& effort) const {
  mapping::CommunicationMatrix matrix(static_cast<int>(slot_of.size()));
  for (const partition::Flow& flow : messages.list) {
    if (flow.from != flow.to) {
      matrix.add(static_cast<int>(flow.from.value()), static_cast<int>(flow.to.value()), flow.bytes);
    }
  }
  mapping::MappingProblem problem{&matrix, &network_, {}};
  for (int n = 0; n < nodes(); ++n) problem.capacity.push_back(first_[at(n) + 1] - first_[at(n)]);
  const std::vector<int> before = nodes_of(slot_of);
  const std::vector<int> now = mapping::refine(problem, before, effort);
  std::vector<std::vector<int>> left(at(nodes()));  // slots, by node
  for (std::size_t s = 0; s < slot_of.size(); ++s) {
    if (now[s] != before[s]) left[at(before[s])].push_back(slot_of[s]);
  }
  std::vector<int> moved = slot_of;
  std::vector<std::size_t> taken(left.size(), 0);
  for (std::size_t s = 0; s < slot_of.size(); ++s) {
    if (now[s] != before[s]) moved[s] = left[at(now[s])][taken[at(now[s])]++];
  }
  return moved;
}

}  // namespace halocline
