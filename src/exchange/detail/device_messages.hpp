// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/shared_values.hpp"
#include "exchange/transport/endpoint.hpp"

namespace halocline::exchange {

/// The messages of one subdomain that a library sends from memory of its device, and receives there. One operation packs all of them,
/// each behind a header; when they have arrived, the device compares the headers, and one operation unpacks all. The host reads none.
class DeviceMessages {
 public:
  /// Where the device reads the number of the exchange when it packs, and when it compares.
  struct Epochs {
    std::uint64_t* packed = nullptr;
    const std::uint64_t* expected = nullptr;
  };

  DeviceMessages(Context& context, SubdomainState& state, routing::Transport transport);
  DeviceMessages(const DeviceMessages&) = delete;
  DeviceMessages& operator=(const DeviceMessages&) = delete;

  // In set-up, in this order.

  /// Each returns the message's number among those that are sent, or received.
  std::size_t add_sent(const Channel& channel) { return add(sent_, channel, "send"); }
  std::size_t add_received(const Channel& channel) { return add(received_, channel, "receive"); }
  /// After all were added. allocate(bytes) returns memory of the device that the library may use.
  using Allocate = std::function<std::unique_ptr<device::Buffer>(std::size_t bytes)>;
  void allocate(const Allocate& allocate, Epochs epochs);
  /// Of a received message: the exchange that its header is of.
  [[nodiscard]] const std::uint64_t* epoch_of(std::size_t received) const;

  /// Once for each plan. count: the operation that packs also counts the exchange, in Epochs::packed.
  void prepare(const ExchangePlan& plan, bool count);

  /// A message with its header, in a plan.
  [[nodiscard]] std::span<std::byte> sent(const ExchangePlan& plan, std::size_t number) const;
  [[nodiscard]] std::span<std::byte> received(const ExchangePlan& plan, std::size_t number) const;

  void pack(const ExchangePlan& plan, device::Stream& stream) const;
  /// Compares the headers of all messages, which have arrived; if the two sides do not exchange the same, the stream fails. Then unpacks.
  void unpack(const ExchangePlan& plan, device::Stream& stream);
  /// The same for one of the messages.
  void unpack(const ExchangePlan& plan, std::size_t received, device::Stream& stream);
  // The two steps of the latter, for a schedule that makes them for all its ends at once.
  [[nodiscard]] const device::FlagWait& header(const ExchangePlan& plan, std::size_t received) const {
    return of(plan).headers[received];
  }
  [[nodiscard]] std::vector<device::StridedCopy> copies_to_unpack(const ExchangePlan& plan, std::size_t received) const;

 private:
  struct Message {
    const Channel* channel;
    std::size_t place = 0;  ///< of its header in the buffer
    std::shared_ptr<const device::WaitGuard> guard;
  };
  struct Part {
    std::vector<std::size_t> sent, received;  ///< bytes of messages with their headers
    std::unique_ptr<device::CopyList> pack;
    std::unique_ptr<device::CopyList> unpack;                   ///< null as long as it was not needed, and those
    std::vector<std::unique_ptr<device::CopyList>> unpack_one;  ///< of one message
    std::vector<device::FlagWait> headers;
    std::size_t packing = 0, unpacking = 0;  ///< for the tracer
  };

  std::size_t add(std::vector<Message>& messages, const Channel& channel, const char* what);
  [[nodiscard]] device::Flag* header(const Message& message, const device::Buffer& in) const;
  [[nodiscard]] Part make_part(const ExchangePlan& plan, bool count) const;
  [[nodiscard]] std::size_t described(device::Work work, const std::vector<Message>& messages, std::size_t bytes) const;
  [[nodiscard]] const Part& of(const ExchangePlan& plan) const { return parts_.of(plan); }

  Context* context_;
  SubdomainState* state_;
  routing::Transport transport_;
  std::vector<Message> sent_;
  std::vector<Message> received_;
  Epochs epochs_;
  std::unique_ptr<device::Buffer> send_buffer_;
  std::unique_ptr<device::Buffer> receive_buffer_;
  Prepared<Part> parts_;
};

/// What the ends at a subdomain share, and own: made for the first of them, which is also the first to be prepared.
template <typename Shared>
[[nodiscard]] std::shared_ptr<Shared> shared_at(subdomain_id here, SharedValues<subdomain_id, Shared>& all,
                                                Context& context) {
  return all.get(here, [&] { return std::make_shared<Shared>(context, context.state(here)); });
}

}  // namespace halocline::exchange
