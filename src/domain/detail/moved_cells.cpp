// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/moved_cells.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

#include "comm/agree.hpp"
#include "comm/requests.hpp"
#include "core/leak.hpp"

namespace halocline {
namespace {

constexpr int tag = 0;
/// MPI counts bytes by an int.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

/// Cells that a part has in common with a subdomain of a peer.
struct Piece {
  const Snapshot::Part* part;
  Box box;
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(part->element_bytes * part->components * box.volume());
  }
};

/// Calls row(in the part, in the packed cells, bytes) for each row of a piece.
template <typename Row>
void for_rows(const Piece& piece, std::byte* packed, Row&& row) {
  const Snapshot::Part& part = *piece.part;
  const Vec3 extent = part.box.extent();
  const auto bytes = static_cast<std::size_t>(part.element_bytes * piece.box.extent().x);
  for (int component = 0; component < part.components; ++component) {
    std::byte* const cells = part.bytes().data() + component * part.component_bytes();
    for (std::int64_t z = piece.box.lo.z; z < piece.box.hi.z; ++z) {
      for (std::int64_t y = piece.box.lo.y; y < piece.box.hi.y; ++y, packed += bytes) {
        const Vec3 at = Vec3{piece.box.lo.x, y, z} - part.box.lo;
        row(cells + part.element_bytes * (at.x + extent.x * (at.y + extent.y * at.z)), packed, bytes);
      }
    }
  }
}

/// What this rank and a peer have in common, in the order of the sender's subdomains, then the receiver's.
struct Message {
  rank_id peer;
  std::vector<Piece> pieces;
  std::vector<std::byte> packed;

  void allocate() {
    std::size_t bytes = 0;
    for (const Piece& piece : pieces) bytes += piece.bytes();
    packed.resize(bytes);
  }
  void pack() {
    std::byte* at = packed.data();
    for (const Piece& piece : pieces) {
      for_rows(piece, at, [](const std::byte* cells, std::byte* to, std::size_t n) { std::memcpy(to, cells, n); });
      at += piece.bytes();
    }
  }
  void unpack() {
    std::byte* at = packed.data();
    for (const Piece& piece : pieces) {
      for_rows(piece, at, [](std::byte* cells, const std::byte* from, std::size_t n) { std::memcpy(cells, from, n); });
      at += piece.bytes();
    }
  }
};

std::span<const Snapshot::Part> parts_of(const Snapshot& snapshot, std::size_t item, std::size_t mine) {
  return std::span(snapshot.parts()).subspan(item * mine, mine);
}

/// From the cells of a domain to their images in halos.
std::vector<Vec3> shifts_of(const partition::Geometry& geometry) {
  const auto most = [&](std::size_t dim) { return geometry.boundaries[dim] == Boundary::open ? 0 : 1; };
  std::vector<Vec3> shifts;
  for (std::int64_t z = -most(2); z <= most(2); ++z) {
    for (std::int64_t y = -most(1); y <= most(1); ++y) {
      for (std::int64_t x = -most(0); x <= most(0); ++x) shifts.push_back(Vec3{x, y, z} * geometry.partition.extent());
    }
  }
  return shifts;
}

Box shifted(const Box& box, const Vec3& by) { return {box.lo + by, box.hi + by}; }

/// The messages of this rank, with memory.
struct Messages {
  std::vector<Message> sent;
  std::vector<Message> received;
};

Messages messages_of(const comm::RankGroup& comm, const Snapshot& from, const Owners& before, std::size_t item,
                     const Snapshot& to, const Owners& after) {
  const field_id field = from.items()[item].field;
  const std::size_t mine = before.placement->of_rank(comm.rank()).size();
  const std::vector<Vec3> shifts = shifts_of(*before.geometry);
  Messages messages;
  for (std::int64_t r = 0; r < comm.size(); ++r) {
    Message out{rank_id(r), {}, {}};
    Message in{rank_id(r), {}, {}};
    const auto add = [](Message& message, const Snapshot::Part& part, const Box& other) {
      const Box box = part.box.intersection(other);
      if (!box.empty()) message.pieces.push_back({&part, box});
    };
    for (const Snapshot::Part& part : parts_of(from, item, mine)) {
      for (const subdomain_id there : after.placement->of_rank(out.peer)) {
        const Box box = after.geometry->with_halo(field, there);
        for (const Vec3& shift : shifts) add(out, part, shifted(box, Vec3{} - shift));
      }
    }
    for (const subdomain_id there : before.placement->of_rank(in.peer)) {
      const Box box = cells_with_open_ends(*before.geometry, field, there);
      for (const Snapshot::Part& part : parts_of(to, 0, mine)) {
        for (const Vec3& shift : shifts) add(in, part, shifted(box, shift));
      }
    }
    for (auto& [message, list] : {std::pair(&out, &messages.sent), std::pair(&in, &messages.received)}) {
      message->allocate();
      if (!message->packed.empty()) list->push_back(std::move(*message));
    }
  }
  return messages;
}

}  // namespace

void move_cells(comm::RankGroup& comm, const Snapshot& from, const Owners& before, std::size_t item, const Snapshot& to,
                const Owners& after) {
  Messages messages;
  comm::agree_on(comm, [&] {
    messages = messages_of(comm, from, before, item, to, after);
    for (Message& message : messages.sent) message.pack();
  });
  // What MPI may still access after an error is leaked.
  struct UnderWay {
    Messages messages;
    std::vector<std::unique_ptr<comm::Request>> requests;
  };
  auto under_way = std::make_unique<UnderWay>(UnderWay{std::move(messages), {}});
  auto& requests = under_way->requests;
  const auto in_parts = [](Message& message, auto&& start) {
    for (std::span<std::byte> rest(message.packed); !rest.empty();) {
      const auto part = rest.first(std::min(rest.size(), most_bytes));
      start(part);
      rest = rest.subspan(part.size());
    }
  };
  const auto done = [&] {
    std::erase_if(requests, [](const auto& request) { return request->test(); });
    return requests.empty();
  };
  try {
    for (Message& message : under_way->messages.received) {
      in_parts(message, [&](auto part) { requests.push_back(comm.receive(part, message.peer, tag)); });
    }
    for (Message& message : under_way->messages.sent) {
      in_parts(message, [&](auto part) { requests.push_back(comm.send(part, message.peer, tag)); });
    }
    comm::wait_for_others(comm, done, comm.timeout(), "cells of rebalance()");
  } catch (...) {
    comm.poison();  // others wait for this rank's cells
    leak(std::move(under_way));
    throw;
  }
  for (Message& message : under_way->messages.received) message.unpack();
}

}  // namespace halocline
