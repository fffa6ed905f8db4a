// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/device_messages.hpp"

#include <fmt/core.h>

#include "core/round_up.hpp"
#include "exchange/transport/remote_flag.hpp"

namespace halocline::exchange {
namespace {

/// Messages start at multiples of so many bytes.
constexpr std::size_t message_boundary = 128;

/// Around a payload there are so many bytes more, which may be read: a header before it, and space behind it.
constexpr std::int64_t slack_bytes = 32;
static_assert(slack_bytes <= static_cast<std::int64_t>(sizeof(device::Flag)));

std::size_t at_boundary(std::size_t bytes) { return round_up(bytes, message_boundary); }

std::size_t capacity_of(const Channel& channel) {
  return at_boundary(sizeof(device::Flag) + static_cast<std::size_t>(payload_capacity(channel.message) + slack_bytes));
}

}  // namespace

DeviceMessages::DeviceMessages(Context& context, SubdomainState& state, routing::Transport transport)
    : context_(&context), state_(&state), transport_(transport) {}

std::size_t DeviceMessages::add(std::vector<Message>& messages, const Channel& channel, const char* what) {
  const std::size_t place = messages.empty() ? 0 : messages.back().place + capacity_of(*messages.back().channel);
  messages.push_back({&channel, place, make_guard(channel, *context_, what)});
  return messages.size() - 1;
}

void DeviceMessages::allocate(const Allocate& allocate, Epochs epochs) {
  epochs_ = epochs;
  const auto buffer_of = [&](const std::vector<Message>& messages) -> std::unique_ptr<device::Buffer> {
    if (messages.empty()) return nullptr;
    return allocate(messages.back().place + capacity_of(*messages.back().channel));
  };
  send_buffer_ = buffer_of(sent_);
  receive_buffer_ = buffer_of(received_);
}

device::Flag* DeviceMessages::header(const Message& message, const device::Buffer& in) const {
  return reinterpret_cast<device::Flag*>(in.data() + message.place);
}

const std::uint64_t* DeviceMessages::epoch_of(std::size_t received) const {
  return &header(received_[received], *receive_buffer_)->epoch;
}

std::vector<device::StridedCopy> DeviceMessages::copies_to_unpack(const ExchangePlan& plan,
                                                                  std::size_t received) const {
  const Message& message = received_[received];
  const auto* const packed = reinterpret_cast<std::byte*>(header(message, *receive_buffer_) + 1);
  return unpack_copies(payload_of(message.channel->message, plan.selection), state_->received, packed, slack_bytes);
}

DeviceMessages::Part DeviceMessages::make_part(const ExchangePlan& plan, bool count) const {
  Part part;
  device::HeaderWrite headers{epochs_.packed, count};
  std::vector<device::StridedCopy> pack;
  std::size_t packed_bytes = 0;
  for (const Message& message : sent_) {
    device::Flag* const flag = header(message, *send_buffer_);
    const Payload payload = payload_of(message.channel->message, plan.selection);
    headers.headers.push_back({flag, plan.token});
    append(pack, pack_copies(payload, state_->memory, reinterpret_cast<std::byte*>(flag + 1)));
    part.sent.push_back(sizeof *flag + static_cast<std::size_t>(payload.bytes));
    packed_bytes += part.sent.back();
  }
  if (!sent_.empty()) part.pack = context_->backend->prepare_packing(state_->device(), pack, headers);
  std::size_t unpacked_bytes = 0;
  for (const Message& message : received_) {
    part.headers.push_back({header(message, *receive_buffer_), plan.token, message.guard});
    const Payload payload = payload_of(message.channel->message, plan.selection);
    part.received.push_back(sizeof(device::Flag) + static_cast<std::size_t>(payload.bytes));
    unpacked_bytes += part.received.back();
  }
  part.unpack_one.resize(received_.size());
  part.packing = described(device::Work::pack, sent_, packed_bytes);
  part.unpacking = described(device::Work::unpack, received_, unpacked_bytes);
  return part;
}

std::size_t DeviceMessages::described(device::Work work, const std::vector<Message>& messages,
                                      std::size_t bytes) const {
  if (context_->tracer == nullptr) return 0;
  device::TracedOperation operation{
      work, state_->device(),
      fmt::format("subdomain {}: {}", state_->subdomain.id.value(), routing::to_string(transport_))};
  for (const Message& message : messages) operation.messages.push_back(message.channel->number);
  operation.bytes = static_cast<std::int64_t>(bytes);
  return context_->tracer->add(std::move(operation));
}

void DeviceMessages::prepare(const ExchangePlan& plan, bool count) {
  parts_.make(plan, [&] { return make_part(plan, count); });
}

std::span<std::byte> DeviceMessages::sent(const ExchangePlan& plan, std::size_t number) const {
  return {send_buffer_->data() + sent_[number].place, of(plan).sent[number]};
}

std::span<std::byte> DeviceMessages::received(const ExchangePlan& plan, std::size_t number) const {
  return {receive_buffer_->data() + received_[number].place, of(plan).received[number]};
}

void DeviceMessages::pack(const ExchangePlan& plan, device::Stream& stream) const {
  const Part& part = of(plan);
  if (part.pack) traced(context_->tracer, part.packing, stream, [&] { stream.copy(*part.pack); });
}

void DeviceMessages::unpack(const ExchangePlan& plan, device::Stream& stream) {
  Part& part = parts_.of(plan);
  if (!part.unpack) {
    std::vector<device::StridedCopy> copies;
    for (std::size_t i = 0; i < received_.size(); ++i) append(copies, copies_to_unpack(plan, i));
    part.unpack = context_->backend->prepare_unpacking(state_->device(), copies, {epochs_.expected, part.headers});
  }
  traced(context_->tracer, part.unpacking, stream, [&] { stream.copy(*part.unpack); });
}

void DeviceMessages::unpack(const ExchangePlan& plan, std::size_t received, device::Stream& stream) {
  Part& part = parts_.of(plan);
  std::unique_ptr<device::CopyList>& copies = part.unpack_one[received];
  if (!copies) {
    copies = context_->backend->prepare_unpacking(state_->device(), copies_to_unpack(plan, received),
                                                  {epochs_.expected, {part.headers[received]}});
  }
  traced(context_->tracer, part.unpacking, stream, [&] { stream.copy(*copies); });
}

}  // namespace halocline::exchange
