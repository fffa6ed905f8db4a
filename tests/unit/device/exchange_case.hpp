// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <utility>

#include "support/seeded.hpp"
#include "unit/device/strided_case.hpp"
#include "unit/device/support.hpp"

// Exchanges between two devices, with their expected results.
namespace halocline::device::test {

/// A StridedCopy of contiguous bytes.
inline StridedCopy contiguous(const std::byte* source, std::byte* target, std::int64_t bytes) {
  return {source, target, {1, bytes, bytes}, {1, bytes, bytes}, {bytes, 1, 1}, 1};
}

/// Identifies a participant of an ExchangeCase.
struct ParticipantId {
  int device = 0;
  std::size_t index = 0;  ///< in the device's plan
};

/// Memory of devices 0 and 1 with epochs, flags and cells; the exchanges of their participants; and a mirror of the
/// cells on the host, which is updated by the definition of a StridedCopy.
class ExchangeCase {
 public:
  /// room: the capacity in bytes of the sources of each device, and of the targets.
  explicit ExchangeCase(Backend& backend, std::int64_t room = std::int64_t{1} << 20)
      : backend_(&backend), room_(room), sites_{Site(backend, 0, room), Site(backend, 1, room)} {
    for (const int device : {0, 1}) {
      packets_[static_cast<std::size_t>(device)] = backend.allocate_shareable(device, static_cast<std::size_t>(room));
    }
  }

  /// After a failure, pending work may still use memory of the other site.
  ~ExchangeCase() {
    for (Site& at : sites_) at.stream.reset();
    for (Site& at : sites_) at.exchange.reset();
  }
  ExchangeCase(const ExchangeCase&) = delete;
  ExchangeCase& operator=(const ExchangeCase&) = delete;

  /// Source cells, which get new values before each exchange.
  std::byte* source(int device, std::int64_t bytes) { return cells(device) + take(site(device).sources, bytes); }
  /// Target cells, which exchanges write; zero at first.
  std::byte* target(int device, std::int64_t bytes) {
    return cells(device) + room_ + take(site(device).targets, bytes);
  }
  Flag* flag(int device) { return &site(device).words().flags[site(device).flags++]; }
  FusedPlan& plan(int device) { return site(device).plan; }
  Stream& stream(int device) { return *site(device).stream; }
  FusedExchange& exchange(int device) { return *site(device).exchange; }

  ParticipantId add_participant(int device) {
    auto& participants = plan(device).participants;
    Participant participant;
    participant.epoch = &site(device).words().epochs[participants.size()];
    participants.push_back(participant);
    return {device, participants.size() - 1};
  }
  Participant& participant(ParticipantId id) { return plan(id.device).participants[id.index]; }
  OutgoingPart& outgoing(ParticipantId id) { return participant(id).outgoing.back(); }
  IncomingPart& incoming(ParticipantId id) { return participant(id).incoming.back(); }

  /// landed: the copies of the receiver out of its receive buffer.
  void send(ParticipantId from, ParticipantId to, std::vector<StridedCopy> copies,
            std::vector<StridedCopy> landed = {}) {
    Flag* ready = flag(from.device);
    Flag* arrived = flag(to.device);
    const std::uint64_t token = ++tokens_;
    const auto label = "message " + std::to_string(token);
    participant(from).outgoing.push_back(
        {{ready, token, guard(label + " (ready)"), arrived}, std::move(copies), {arrived, token}});
    participant(to).incoming.push_back(
        {{ready, token}, {arrived, token, guard(label + " (arrived)"), ready}, std::move(landed)});
  }
  void send_bytes(ParticipantId from, ParticipantId to, std::int64_t bytes) {
    send(from, to, {contiguous(source(from.device, bytes), target(to.device, bytes), bytes)});
  }
  /// Adds `copies` copies between random layouts; with `land`, through packed cells in a receive buffer.
  void send_strided(std::mt19937& random, ParticipantId from, ParticipantId to, int copies, bool land) {
    std::vector<StridedCopy> out;
    std::vector<StridedCopy> landed;
    for (int i = 0; i < copies; ++i) {
      StridedCopy copy = strided(random, from.device, to.device);
      if (land) {
        const std::int64_t element = copy.element_bytes;
        const std::array packed{element, element * copy.extent.x, element * copy.extent.x * copy.extent.y};
        std::byte* receive_buffer = target(to.device, copy.bytes());
        landed.push_back({receive_buffer, copy.target, packed, copy.target_stride, copy.extent, element});
        copy.target = receive_buffer;
        copy.target_stride = packed;
      }
      out.push_back(copy);
    }
    send(from, to, std::move(out), std::move(landed));
  }
  /// Adds `copies` copies of rows that may be sent as packets; backends that have packets use them.
  void send_packets(std::mt19937& random, ParticipantId from, ParticipantId to, int copies) {
    const auto up_to = [&](unsigned n) { return static_cast<std::int64_t>(1 + random() % n); };
    std::vector<StridedCopy> out;
    std::vector<StridedCopy> landed;
    std::int64_t room = 0;
    for (int i = 0; i < copies; ++i) {
      const std::int64_t element = std::array<std::int64_t, 3>{4, 8, 16}[random() % 3];
      const Vec3 extent{random() % 8 == 0 ? up_to(900) : up_to(30), up_to(9), up_to(9)};
      const auto layout = [&] {
        const std::int64_t pitch = extent.x * element + 4 * (up_to(5) - 1);
        return std::array{element, pitch, pitch * extent.y + 4 * (up_to(5) - 1)};
      };
      const std::int64_t row = extent.x * element;
      const std::array dense{element, row, row * extent.y};
      const auto read = layout();
      const auto written = layout();
      const std::byte* source_at = source(from.device, read[2] * extent.z + 16) + 4 * (up_to(4) - 1);
      std::byte* target_at = target(to.device, written[2] * extent.z + 16) + 4 * (up_to(4) - 1);
      direct_.push_back({source_at, target_at, read, written, extent, element});
      // The receive buffer's address is known only once its size is.
      out.push_back({source_at, nullptr, read, dense, extent, element});
      landed.push_back({nullptr, target_at, dense, written, extent, element});
      room += packet_room_bytes(row, extent.y * extent.z);
    }
    std::byte* at = packets_.at(static_cast<std::size_t>(to.device))->data();
    std::int64_t& used = packet_bytes_.at(static_cast<std::size_t>(to.device));
    const std::int64_t bytes = packet_buffer_bytes(room);
    const PacketRoom buffers{{at + used, at + used + bytes}};
    used += 2 * bytes;
    EXPECT_LE(used, room_);
    std::int64_t packed = 0;
    for (int i = 0; i < copies; ++i) {
      StridedCopy& copy = out[static_cast<std::size_t>(i)];
      copy.target = buffers.buffers[0] + packed;
      landed[static_cast<std::size_t>(i)].source = copy.target;
      packed += copy.bytes();
    }
    send(from, to, std::move(out), std::move(landed));
    outgoing(from).packets = incoming(to).packets = buffers;
  }
  /// Makes the last message a piece of the previous one: one "ready" flag covers both.
  void join_pieces(ParticipantId from, ParticipantId to, int stage) {
    auto& out = participant(from).outgoing;
    auto& in = participant(to).incoming;
    out.back().ready.flag = out[out.size() - 2].ready.flag;
    out.back().ready.token = out[out.size() - 2].ready.token;
    in.back().arrived.refusal = in[in.size() - 2].arrived.refusal;
    in.back().ready.flag = nullptr;
    out.back().stage = in.back().stage = stage;
  }
  void add_local(std::mt19937& random, int device) { plan(device).local.push_back(strided(random, device, device)); }

  /// Prepares for at most `most` exchanges.
  void prepare(int most) {
    halocline::test::Seeded seeded(1);
    for (Site& at : sites_) {
      at.exchange = backend_->fuse(at.device, at.plan);
      at.inputs = backend_->allocate_pinned(static_cast<std::size_t>(most * at.sources + 1));
      at.outputs = backend_->allocate_pinned(static_cast<std::size_t>(most * at.targets + 1));
      // Sources are whole words; byte by byte takes most of a case's time under a sanitizer.
      std::byte* input = at.inputs->data();
      for (std::byte* end = input + most * at.sources; input < end; input += sizeof(std::uint64_t)) {
        const std::uint64_t word = seeded.next();
        std::memcpy(input, &word, sizeof word);
      }
    }
    most_ = most;
  }
  /// Requires prepare(). Afterwards exchanges can be replayed.
  void capture() {
    for (Site& at : sites_) {
      at.stream->begin_capture();
      at.stream->run(*at.exchange);
      at.graph = at.stream->end_capture();
    }
  }
  enum class How { eager, replayed };
  /// Enqueues on both devices: new sources, the exchange, and a copy of the results.
  void enqueue(How how = How::eager) {
    for (Site& at : sites_) {
      renew(at.device);
      run(at.device, how);
      at.stream->copy(at.outputs->data() + (at.renewed - 1) * at.targets, at.cells->data() + room_,
                      static_cast<std::size_t>(at.targets));
    }
  }
  void renew(int device) {
    Site& at = site(device);
    ASSERT_LT(at.renewed, most_);
    at.stream->copy(at.cells->data(), at.inputs->data() + at.renewed * at.sources,
                    static_cast<std::size_t>(at.sources));
    ++at.renewed;
  }
  void run(int device, How how = How::eager) {
    const Site& at = site(device);
    if (how == How::eager) at.stream->run(*at.exchange);
    if (how == How::replayed) at.stream->launch(*at.graph);
  }
  /// The error of an eager exchange of the device; some backends throw before everything is enqueued.
  std::string failure_of(int device) {
    const std::string text = thrown([&] {
      run(device);
      stream(device).synchronize();
    });
    EXPECT_EQ(failure(stream(device)), text);
    return text;
  }
  void synchronize() {
    for (const Site& at : sites_) at.stream->synchronize();
  }
  /// Compares all cells after each exchange that was enqueued for both devices.
  void expect_all() {
    synchronize();
    for (std::int64_t exchange = 0; exchange < sites_[0].renewed; ++exchange) {
      for (Site& at : sites_) std::copy_n(at.inputs->data() + exchange * at.sources, at.sources, at.mirror.data());
      for (const Site& at : sites_) {
        for (const Participant& participant : at.plan.participants) {
          for (const OutgoingPart& part : participant.outgoing) {
            if (!part.packets.offered()) mirror(part.copies);
          }
        }
        mirror(at.plan.local);
      }
      mirror(direct_);
      for (const Site& at : sites_) {
        for (const Participant& participant : at.plan.participants) {
          for (const IncomingPart& part : participant.incoming) {
            if (!part.packets.offered()) mirror(part.copies);
          }
        }
      }
      for (const Site& at : sites_) {
        const std::byte* expected = at.mirror.data() + room_;
        const std::byte* found = at.outputs->data() + exchange * at.targets;
        if (std::memcmp(expected, found, static_cast<std::size_t>(at.targets)) == 0) continue;
        const auto differs = std::mismatch(expected, expected + at.targets, found);
        ASSERT_EQ(differs.first - expected, at.targets)
            << "cells of device " << at.device << " after exchange " << exchange + 1;
      }
    }
  }

 private:
  struct Words {
    std::uint64_t epochs[8];
    Flag flags[256];
  };
  struct Site {
    Site(Backend& backend, int on, std::int64_t room)
        : device(on),
          memory(backend.allocate_shareable(on, sizeof(Words))),
          cells(backend.allocate_shareable(on, static_cast<std::size_t>(2 * room))),
          mirror(cells->bytes()),
          stream(backend.create_stream(on)) {}
    [[nodiscard]] Words& words() const { return *reinterpret_cast<Words*>(memory->data()); }

    int device;
    std::unique_ptr<ShareableBuffer> memory;
    std::unique_ptr<ShareableBuffer> cells;  ///< the sources; the targets begin at `room`
    std::vector<std::byte> mirror;
    std::size_t flags = 0;
    std::int64_t sources = 0, targets = 0;  ///< bytes in use
    std::int64_t renewed = 0;               ///< exchanges whose sources were set
    FusedPlan plan;
    std::unique_ptr<FusedExchange> exchange;
    std::unique_ptr<Graph> graph;
    std::unique_ptr<Buffer> inputs, outputs;  ///< of each exchange
    std::unique_ptr<Stream> stream;
  };

  Site& site(int device) { return sites_.at(static_cast<std::size_t>(device)); }
  std::byte* cells(int device) { return site(device).cells->data(); }
  std::int64_t take(std::int64_t& used, std::int64_t bytes) const {
    const std::int64_t at = used;
    used += (bytes + 63) / 64 * 64;
    EXPECT_LE(used, room_);
    return at;
  }
  StridedCopy strided(std::mt19937& random, int from, int to) {
    Vec3 extent = random_extent(random);
    extent.x = std::min<std::int64_t>(extent.x, 40);
    const std::int64_t element = element_sizes[random() % element_sizes.size()];
    const Layout read(random, extent, element);
    const Layout written(random, extent, element);
    return {source(from, read.bytes) + read.first,
            target(to, written.bytes) + written.first,
            read.stride,
            written.stride,
            extent,
            element};
  }
  [[nodiscard]] std::byte* mirrored(const std::byte* cell) {
    for (Site& at : sites_) {
      const auto offset = reinterpret_cast<std::uintptr_t>(cell) - reinterpret_cast<std::uintptr_t>(at.cells->data());
      if (offset < at.mirror.size()) return at.mirror.data() + offset;
    }
    throw InternalError("no cell of the case");
  }
  void mirror(const std::vector<StridedCopy>& copies) {
    for (StridedCopy copy : copies) {
      copy.source = mirrored(copy.source);
      copy.target = mirrored(copy.target);
      const bool one_row = copy.extent.y == 1 && copy.extent.z == 1 && copy.source_stride[0] == copy.element_bytes &&
                           copy.target_stride[0] == copy.element_bytes;
      if (one_row) {
        std::memcpy(copy.target, copy.source, static_cast<std::size_t>(copy.bytes()));
      } else {
        reference(copy);
      }
    }
  }

  Backend* backend_;
  std::int64_t room_;
  std::array<Site, 2> sites_;
  /// By device: the receive buffers of packets, and how many of their bytes are in use; direct_: the copies that use
  /// them.
  std::array<std::unique_ptr<ShareableBuffer>, 2> packets_;
  std::array<std::int64_t, 2> packet_bytes_{};
  std::vector<StridedCopy> direct_;
  std::uint64_t tokens_ = 0;
  std::int64_t most_ = 0;
};

}  // namespace halocline::device::test
