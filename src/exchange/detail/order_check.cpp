// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/order_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "comm/requests.hpp"
#include "core/hash.hpp"
#include "core/serialise.hpp"
#include "core/wire.hpp"
#include "exchange/detail/tags.hpp"
#include "exchange/detail/transfers.hpp"

namespace halocline::exchange {
namespace {

/// Bytes of halos that must not be read: NaN in every floating-point type, -1 in every signed one.
constexpr unsigned char poison_byte = 0xff;
constexpr std::size_t widest_element = 16;

std::span<const std::byte> bytes_of_segment(const device::Buffer& buffer, const PackedSegment& packed) {
  return {buffer.data() + packed.box.offset, static_cast<std::size_t>(packed.segment.bytes)};
}

std::uint64_t hash_of(std::span<const std::byte> bytes) { return Hash().add(bytes).value(); }

/// The cell of a segment that a byte of its payload belongs to: x fastest, components one after another.
std::string cell_text(const Box& box, std::int64_t byte, std::int64_t element_bytes) {
  const Vec3 extent = box.extent();
  const std::int64_t cell = byte / element_bytes % extent.volume();
  const Vec3 p = box.lo + Vec3{cell % extent.x, cell / extent.x % extent.y, cell / (extent.x * extent.y)};
  return fmt::format("({}, {}, {})", p.x, p.y, p.z);
}

}  // namespace

OrderCheck::OrderCheck(Context& context, rank_id me, std::span<const std::unique_ptr<Channel>> channels,
                       StreamOf stream_of)
    : context_(&context),
      me_(me),
      stream_of_(std::move(stream_of)),
      poison_(context.backend->allocate_pinned(widest_element)) {
  std::memset(poison_->data(), poison_byte, widest_element);
  for (const auto& channel : channels) channels_.push_back(channel.get());
}

const FieldDescriptor& OrderCheck::field_of(const PackedSegment& packed) const {
  return context_->geometry->fields[packed.segment.field.index()];
}

OrderCheck::Sent OrderCheck::make_sent(const Channel& channel, const ExchangePlan& plan) {
  const SubdomainState& state = context_->state(channel.message.from);
  device::Backend& backend = *context_->backend;
  Sent sent{&channel, payload_of(channel.message, plan.selection, Layout::by_segment), nullptr, nullptr, nullptr,
            nullptr};
  const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(sent.payload.bytes, 1));
  sent.at_start = backend.allocate_pinned(bytes);
  sent.at_end = backend.allocate_pinned(bytes);
  sent.read_at_start = backend.prepare(state.device(), pack_copies(sent.payload, state.memory, sent.at_start->data()));
  sent.read_at_end = backend.prepare(state.device(), pack_copies(sent.payload, state.memory, sent.at_end->data()));
  return sent;
}

OrderCheck::Received OrderCheck::make_received(const Channel& channel, const ExchangePlan& plan) {
  const SubdomainState& state = context_->state(channel.message.to);
  device::Backend& backend = *context_->backend;
  Received received{&channel, payload_of(channel.message, plan.selection, Layout::by_segment), nullptr, nullptr,
                    nullptr};
  received.arrived =
      backend.allocate_pinned(static_cast<std::size_t>(std::max<std::int64_t>(received.payload.bytes, 1)));
  std::vector<device::StridedCopy> poison = unpack_copies(received.payload, state.received, received.arrived->data());
  std::vector<device::StridedCopy> read = unpack_copies(received.payload, state.received, received.arrived->data());
  for (device::StridedCopy& copy : read) {
    std::byte* const halo = copy.target;
    copy.target = const_cast<std::byte*>(copy.source);  // in `arrived`
    copy.source = halo;
    std::swap(copy.source_stride, copy.target_stride);
    // Values that were rounded once do not change when they are rounded again.
    if (copy.conversion.any()) copy.conversion.way = device::Conversion::Way::pack;
  }
  for (device::StridedCopy& copy : poison) {
    copy.source = poison_->data();
    copy.source_stride = {};
    copy.conversion = {};
  }
  received.poison = backend.prepare(state.device(), poison);
  received.read = backend.prepare(state.device(), read);
  return received;
}

void OrderCheck::prepare(const ExchangePlan& plan) {
  messages_.make(plan, [&] {
    Messages messages;
    for (const Channel* channel : channels_) {
      if (channel->sender == me_) messages.sent.push_back(make_sent(*channel, plan));
      if (channel->receiver == me_) messages.received.push_back(make_received(*channel, plan));
    }
    return messages;
  });
}

void OrderCheck::before(const ExchangePlan& plan) {
  const Messages& messages = messages_.of(plan);
  for (const Sent& sent : messages.sent) stream_of_(sent.channel->message.from).copy(*sent.read_at_start);
  for (const Received& received : messages.received) stream_of_(received.channel->message.to).copy(*received.poison);
  ++exchanges_;
}

void OrderCheck::after(const ExchangePlan& plan) {
  const Messages& messages = messages_.of(plan);
  for (const Sent& sent : messages.sent) stream_of_(sent.channel->message.from).copy(*sent.read_at_end);
  for (const Received& received : messages.received) stream_of_(received.channel->message.to).copy(*received.read);
  for (const auto& [id, state] : context_->states) stream_of_(id).synchronize();
  const std::vector<Digests> digests = meet(messages);
  for (const Sent& sent : messages.sent) check_sent(sent);
  for (std::size_t i = 0; i < messages.received.size(); ++i) check_received(messages.received[i], digests[i]);
}

/// Returns digests of what was sent for each received message, segment by segment.
std::vector<OrderCheck::Digests> OrderCheck::meet(const Messages& messages) {
  Transfers transfers(*context_->comm);
  for (const Received& received : messages.received) {
    const Digests expected(received.payload.segments.size());
    transfers.receive(to_bytes(expected).size(), received.channel->sender, tags::digest(received.channel->tag));
  }
  for (const Sent& sent : messages.sent) {
    Digests digests;
    for (const PackedSegment& packed : sent.payload.segments) {
      digests.push_back(
          {hash_of(bytes_of_segment(*sent.at_start, packed)), hash_of(bytes_of_segment(*sent.at_end, packed))});
    }
    transfers.send(to_bytes(digests), sent.channel->receiver, tags::digest(sent.channel->tag));
  }
  const auto received = transfers.wait(context_->timeout, "comparing what was sent with what arrived");
  std::vector<Digests> theirs;
  for (const auto& bytes : received) theirs.push_back(from_bytes<Digests>(bytes));
  return theirs;
}

void OrderCheck::check_sent(const Sent& sent) const {
  for (const PackedSegment& packed : sent.payload.segments) {
    const auto start = bytes_of_segment(*sent.at_start, packed);
    const auto end = bytes_of_segment(*sent.at_end, packed);
    const auto differs = std::ranges::mismatch(start, end).in1;
    if (differs == start.end()) continue;
    const FieldDescriptor& field = field_of(packed);
    throw ProtocolError(fmt::format(
        "{}: cell {} of field '{}' was written while exchange {} sent it; work that writes owned cells must be in the "
        "subdomain's stream, before start_exchange() or after finish()",
        sent.channel->label(), cell_text(packed.segment.source, differs - start.begin(), bytes_on_wire(field)),
        field.name, exchanges_));
  }
}

void OrderCheck::check_received(const Received& received, const Digests& digests) const {
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const PackedSegment& packed = received.payload.segments[i];
    const std::uint64_t arrived = hash_of(bytes_of_segment(*received.arrived, packed));
    if (arrived == digests[i].at_start || arrived == digests[i].at_end) continue;
    const std::string what =
        fmt::format("{}: the halo of field '{}' on side {} is not what exchange {} sent", received.channel->label(),
                    field_of(packed).name, to_string(packed.segment.direction.opposite()), exchanges_);
    if (digests[i].at_start != digests[i].at_end) {
      throw ProtocolError(what + ": its cells were written meanwhile, see the error of rank " +
                          fmt::format("{}", received.channel->sender.value()));
    }
    throw ProtocolError(what +
                        "; work that writes halos must be in the subdomain's stream, before start_exchange() or after "
                        "finish()");
  }
}

}  // namespace halocline::exchange
