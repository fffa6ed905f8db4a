// SPDX-License-Identifier: BSD-3-Clause
// direct: the sender's device stores into the receiver's halo, in memory that both can access. Many short rows are packed into a
// receive buffer and unpacked there, piece by piece and before the long rows, so that unpacking overlaps with the link; all rows are,
// if the sender's device cannot reach the receiver's arrays.
// Flags coordinate it (handshake.hpp): after "ready" the receiver's halo and receive buffer may be written; each piece has its own
// "arrived", and so have the long rows, after the pieces. A small message goes to another receive buffer as LL packets, which need
// no "ready" (docs/decisions/0036).
#include <fmt/core.h>

#include <tuple>

#include "exchange/detail/split_payload.hpp"
#include "exchange/transport/factory.hpp"
#include "exchange/transport/handshake.hpp"

namespace halocline::exchange {
namespace {

/// An array of the receiver, as the sender accesses it.
struct RemoteArray {
  ExportedArray memory;  ///< no pieces: the array's origin is valid for the sender
  Array array;
};

auto members(MaybeConst<RemoteArray> auto& remote) {
  return std::tie(remote.memory.pieces, remote.memory.origin, remote.array);
}

/// The long rows are sent after all pieces of all messages.
constexpr int turn_of_rows = SplitPayload::most_pieces;

/// Also true for an empty message, whose arrival is signalled, too.
bool has_rows(const SplitPayload& payload) {
  return !payload.rows.segments.empty() || (payload.pieces.empty() && payload.packets.segments.empty());
}

/// The receive buffer of a message that is sent as packets: two slots, one after the other.
device::PacketRoom packet_room_at(std::byte* first, std::int64_t packet_buffer_bytes) {
  return {{first, first + packet_buffer_bytes}};
}

/// Whether the end with this memory can use packets.
bool packets_possible(const Channel& channel, const Memory& memory) {
  return channel.packets && may_go_as_packets(*memory.geometry, *memory.arrays);
}

class DirectSender final : public FusedEndpoint {
 public:
  DirectSender(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        state_(&context.state(channel.message.from)),
        flags_(channel, context) {}

  void reserve() override { flags_.reserve(); }
  void publish(ByteWriter& writer) override {
    flags_.publish(writer);
    writer.put(packets_possible(*channel_, state_->memory));
  }

  void connect(ByteReader& reader) override {
    flags_.connect(reader);
    as_packets_ = reader.get<bool>() && packets_possible(*channel_, state_->memory);
    packets_ = address_of(*context_->mappings, state_->device(), reader.get<RemotePlace>());
    receive_buffer_ = address_of(*context_->mappings, state_->device(), reader.get<RemotePlace>());
    if (!channel_->in_place) return;
    for (const FieldDescriptor& field : context_->geometry->fields) {
      auto& buffers = arrays_.emplace_back();
      for (int buffer = 0; buffer < field.buffers; ++buffer) {
        auto remote = reader.get<RemoteArray>();
        if (const auto& [pieces, origin] = remote.memory; !pieces.empty()) {
          remote.array.move_to(context_->mappings->base(state_->device(), pieces) + origin);
        }
        buffers.push_back(remote.array);
      }
    }
  }

  void watch(std::vector<const device::Flag*>& flags) const override { flags_.watch(flags); }

  void contribute(const ExchangePlan& plan, device::Participant& participant,
                  std::vector<device::StridedCopy>& /*local*/) override {
    const SplitPayload payload = split_payload(channel_->message, plan.selection, *context_->geometry, context_->tuning,
                                               {channel_->in_place, as_packets_});
    const Memory receiver{context_->geometry, channel_->message.to, &arrays_};
    if (!payload.packets.segments.empty()) {
      const auto room = packed_room(channel_->message, *context_->geometry, context_->tuning, channel_->in_place);
      participant.outgoing.push_back({flags_.ready(plan), pack_copies(payload.packets, state_->memory, packets_),
                                      flags_.arrived(plan), 0, packet_room_at(packets_, room.packet_buffer_bytes)});
    }
    int part = 0;
    for (const Payload& piece : payload.pieces) {
      participant.outgoing.push_back({flags_.ready(plan, part), pack_copies(piece, state_->memory, receive_buffer_),
                                      flags_.arrived(plan, part), part});
      ++part;
    }
    if (!has_rows(payload)) return;
    participant.outgoing.push_back({flags_.ready(plan, part), put_copies(payload.rows, state_->memory, receiver),
                                    flags_.arrived(plan, part), turn_of_rows});
  }

 private:
  const Channel* channel_;
  Context* context_;
  SubdomainState* state_;
  SenderFlags flags_;
  std::vector<std::vector<Array>>
      arrays_;  ///< the receiver's, at the addresses that this device sees; none if it stores to no array
  std::byte* receive_buffer_ = nullptr;  ///< the receiver's
  std::byte* packets_ = nullptr;         ///< the receiver's packet buffers
  bool as_packets_ = false;              ///< the route and both ends' arrays allow it
};

class DirectReceiver final : public FusedEndpoint {
 public:
  DirectReceiver(const Channel& channel, Context& context)
      : channel_(&channel), context_(&context), state_(&context.state(channel.message.to)), flags_(channel, context) {}

  void reserve() override {
    const PackedRoom room = packed_room(channel_->message, *context_->geometry, context_->tuning, channel_->in_place);
    flags_.reserve(room.pieces + 1);
    receive_buffer_ = state_->mailbox.reserve_receive_buffer(room.bytes);
    if (!packets_possible(*channel_, state_->received)) return;
    packets_ = state_->mailbox.reserve_receive_buffer(2 * room.packet_buffer_bytes);
  }

  void publish(ByteWriter& writer) override {
    flags_.publish(writer);
    writer.put(packets_possible(*channel_, state_->received));
    writer.put(RemotePlace{state_->mailbox.handle(), packets_});
    writer.put(RemotePlace{state_->mailbox.handle(), receive_buffer_});
    if (!channel_->in_place) return;
    const device::ShareableBuffer* allocation = state_->subdomain.allocation;
    std::vector<device::MemoryHandle> whole;
    if (allocation != nullptr) whole.push_back(allocation->handle());
    const auto& exported = state_->subdomain.exported;
    const auto is_users = [&](std::size_t field, std::size_t buffer) {
      return !exported.empty() && !exported[field][buffer].pieces.empty();
    };
    for (std::size_t field = 0; field < state_->received.arrays->size(); ++field) {
      for (std::size_t buffer = 0; buffer < (*state_->received.arrays)[field].size(); ++buffer) {
        const Array& array = (*state_->received.arrays)[field][buffer];
        RemoteArray remote{{}, array};
        if (is_users(field, buffer)) {
          // The devices of one rank store to the user's arrays where they are.
          if (channel_->sender != channel_->receiver) remote.memory = exported[field][buffer];
        } else if (allocation != nullptr) {
          remote.memory = {whole, array.origin - allocation->data()};
        }
        writer.put(remote);
      }
    }
  }

  void connect(ByteReader& reader) override {
    flags_.connect(reader);
    as_packets_ = reader.get<bool>() && packets_possible(*channel_, state_->received);
  }

  /// A message that goes as packets has no "arrived"; the flags of its two slots have the epoch instead.
  void watch(std::vector<const device::Flag*>& flags) const override {
    flags_.watch(flags);
    if (!as_packets_) return;
    const PackedRoom room = packed_room(channel_->message, *context_->geometry, context_->tuning, channel_->in_place);
    if (room.packet_buffer_bytes == 0) return;
    for (const std::byte* slot : packet_room_at(state_->mailbox.at(packets_), room.packet_buffer_bytes).buffers) {
      flags.push_back(reinterpret_cast<const device::Flag*>(slot));
    }
  }

  void contribute(const ExchangePlan& plan, device::Participant& participant,
                  std::vector<device::StridedCopy>& /*local*/) override {
    const SplitPayload payload = split_payload(channel_->message, plan.selection, *context_->geometry, context_->tuning,
                                               {channel_->in_place, as_packets_});
    if (!payload.packets.segments.empty()) {
      const auto room = packed_room(channel_->message, *context_->geometry, context_->tuning, channel_->in_place);
      std::byte* at = state_->mailbox.at(packets_);
      participant.incoming.push_back({flags_.ready(plan), flags_.arrived(plan),
                                      unpack_copies(payload.packets, state_->received, at), 0,
                                      packet_room_at(at, room.packet_buffer_bytes)});
    }
    int part = 0;
    const auto expect = [&](std::vector<device::StridedCopy> copies, int stage) {
      const device::FlagSignal ready = part == 0 ? flags_.ready(plan) : device::FlagSignal{};
      participant.incoming.push_back({ready, flags_.arrived(plan, part++), std::move(copies), stage});
    };
    for (const Payload& piece : payload.pieces) {
      expect(unpack_copies(piece, state_->received, state_->mailbox.at(receive_buffer_), SplitPayload::slack_bytes),
             part);
    }
    if (has_rows(payload)) expect({}, turn_of_rows);
  }

 private:
  const Channel* channel_;
  Context* context_;
  SubdomainState* state_;
  ReceiverFlags flags_;
  std::size_t receive_buffer_ = 0;
  std::size_t packets_ = 0;
  bool as_packets_ = false;  ///< the route and both ends' arrays allow it
};

}  // namespace

Ends make_direct(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<DirectSender>(channel, context);
  if (receives) ends.receiver = std::make_unique<DirectReceiver>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
