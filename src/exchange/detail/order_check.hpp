// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "exchange/transport/endpoint.hpp"

namespace halocline::exchange {

/// Finds work that is not ordered with exchanges, see Setup::validate_ordering. Sent cells are read twice, at the start
/// and after the end; halos are made unusable at the start, and compared at the end with what was sent. The host waits
/// for both ends of every message, so an exchange takes many times as long, which leaves time for work that runs too
/// early or too late.
class OrderCheck {
 public:
  /// The user's stream of a local subdomain, in the exchange under way.
  using StreamOf = std::function<device::Stream&(subdomain_id)>;

  OrderCheck(Context& context, rank_id me, std::span<const std::unique_ptr<Channel>> channels, StreamOf stream_of);

  void prepare(const ExchangePlan& plan);
  /// Enqueues in the users' streams: after all work that precedes the exchange, and before it begins.
  void before(const ExchangePlan& plan);
  /// To be called after the exchange. Waits for the users' streams and for the other ranks, at most for the timeout.
  /// Throws ProtocolError that names the message, the field, the cell if it is known, and which order is missing.
  void after(const ExchangePlan& plan);

 private:
  /// This rank's copy of the data of a message in a plan, in host memory that devices can access.
  struct Sent {
    const Channel* channel;
    Payload payload;
    std::unique_ptr<device::Buffer> at_start;
    std::unique_ptr<device::Buffer> at_end;
    std::unique_ptr<device::CopyList> read_at_start;
    std::unique_ptr<device::CopyList> read_at_end;
  };
  struct Received {
    const Channel* channel;
    Payload payload;
    std::unique_ptr<device::Buffer> arrived;
    std::unique_ptr<device::CopyList> poison;
    std::unique_ptr<device::CopyList> read;
  };
  struct Messages {
    std::vector<Sent> sent;
    std::vector<Received> received;
  };
  /// A digest of a segment's cells as they were sent; two values, which differ if cells were written meanwhile.
  struct Digest {
    std::uint64_t at_start;
    std::uint64_t at_end;
  };
  using Digests = std::vector<Digest>;

  [[nodiscard]] Sent make_sent(const Channel& channel, const ExchangePlan& plan);
  [[nodiscard]] Received make_received(const Channel& channel, const ExchangePlan& plan);
  [[nodiscard]] std::vector<Digests> meet(const Messages& messages);
  void check_sent(const Sent& sent) const;
  void check_received(const Received& received, const Digests& digests) const;
  [[nodiscard]] const FieldDescriptor& field_of(const PackedSegment& packed) const;

  Context* context_;
  rank_id me_;
  StreamOf stream_of_;
  std::vector<const Channel*> channels_;
  std::unique_ptr<device::Buffer> poison_;
  Prepared<Messages> messages_;
  std::uint64_t exchanges_ = 0;
};

}  // namespace halocline::exchange
