// SPDX-License-Identifier: BSD-3-Clause
#include "packed_block.hpp"

#include <algorithm>
#include <map>

namespace halocline::bench {

PackedBlock::PackedBlock(const Workload& workload) : DenseBlock(workload), messages_(messages_of(rank())) {
  for (const Direction d : all_directions) {
    if (neighbour(rank(), d) == rank()) local_.push_back(d);
  }
}

std::vector<PackedBlock::Message> PackedBlock::messages_of(int rank) const {
  std::map<int, Message> by_peer;
  for (const Direction d : all_directions) {
    if (neighbour(rank, d) == rank) continue;
    const std::int64_t cells = sent_towards(d).size.volume();
    Message& out = by_peer[neighbour(rank, d)];
    out.towards.push_back(d);
    out.sent += cells;
    Message& in = by_peer[neighbour(rank, d.opposite())];
    in.arriving.push_back(d);
    in.received += cells;
  }
  std::vector<Message> messages;
  for (auto& [peer, message] : by_peer) {
    message.peer = peer;
    messages.push_back(std::move(message));
  }
  return messages;
}

/// row(address of a row's first cell in the array)
template <typename Row>
void PackedBlock::for_each_row(const Part& part, const Row& row) {
  for (std::int64_t z = 0; z < part.size.z; ++z) {
    for (std::int64_t y = 0; y < part.size.y; ++y) row(&cell(part.at + Vec3{0, y, z}));
  }
}

void PackedBlock::pack(const Message& m, double* to) {
  for (const Direction d : m.towards) {
    const Part part = sent_towards(d);
    for_each_row(part, [&](const double* from) { to = std::copy_n(from, part.size.x, to); });
  }
}

void PackedBlock::unpack(const Message& m, const double* from) {
  for (const Direction d : m.arriving) {
    const Part part = filled_by(d);
    for_each_row(part, [&](double* to) {
      std::copy_n(from, part.size.x, to);
      from += part.size.x;
    });
  }
}

void PackedBlock::wrap() {
  for (const Direction d : local_) copy_towards(d, data());
}

}  // namespace halocline::bench
