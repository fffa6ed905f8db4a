// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "device/backend.hpp"

namespace halocline::device {

/// A FusedExchange made of a stream's other operations, for backends where an operation costs next to nothing: each
/// outgoing part has a stream of its own, so that none waits for the neighbour of another.
class ComposedExchange final : public FusedExchange {
 public:
  /// Throws InvalidArgument for what those operations would not take. The backend must outlive this.
  ComposedExchange(Backend& backend, int device, const FusedPlan& plan);

  /// Throws InvalidArgument for a stream of another device.
  void check_device(const Stream& in) const;
  /// In this stream of the device and of the backend, which may be under capture. Behind it, all is done.
  void enqueue(Stream& in);

  // Its pieces, for a backend that has another way to let its parts go on independently.
  /// What comes before the parts: the checks of counters, and the ready flags.
  void begin(Stream& in) const;
  /// The messages to others, and the copies within the device if there are any. No part waits for another one.
  [[nodiscard]] std::size_t parts() const { return lanes_.size() + (local_->bytes() > 0 ? 1 : 0); }
  void enqueue_part(std::size_t part, Stream& in) const;
  /// What comes after all parts: the waits for arrivals, and the copies from receive buffers.
  void end(Stream& in) const;
  /// Copied in one exchange.
  [[nodiscard]] std::int64_t bytes() const;

  void check() override;
  void stop() noexcept override;

 private:
  /// Copies that are the same in all exchanges, or differ by turn.
  struct Copies {
    std::array<std::unique_ptr<CopyList>, 2> lists;  ///< the second is null if they are the same
    void enqueue(const std::uint64_t* epoch, Stream& in) const;
  };
  struct Lane {
    const std::uint64_t* epoch;
    FlagWait ready;
    Copies copies;
    FlagSignal posted;  ///< arrived, or posted to a network engine
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Event> sent;
    bool ahead = false;                                 ///< ready is waited for at the end
    std::size_t waiting = 0, putting = 0, posting = 0;  ///< for the tracer
  };
  struct Member {
    std::uint64_t* epoch;
    std::vector<CounterCheck> expected;
    std::vector<FlagSignal> ready;
    std::vector<FlagWait> arrived;
    std::size_t posting = 0;  ///< for the tracer, as the next ones
    std::vector<std::size_t> arrivals;
  };
  /// What is unpacked of one part: with a tracer, or in turn.
  struct Unpacked {
    const std::uint64_t* epoch;
    Copies copies;
    std::size_t unpacking;
  };
  [[nodiscard]] Copies in_turn(Backend& backend, const Put& put) const;
  [[nodiscard]] Copies in_turn(Backend& backend, const Landing& landing) const;
  void send(const Lane& lane, Stream& in) const;
  void describe(Backend& backend, const FusedPlan& plan);
  void post_ready(const Member& member, Stream& in) const;
  void wait_for_arrivals(Stream& in) const;
  void unpack(Stream& in) const;

  int device_;
  std::vector<Member> members_;
  std::vector<Lane> lanes_;
  std::unique_ptr<CopyList> local_;
  std::unique_ptr<CopyList> landed_;
  std::vector<Unpacked> unpacked_;  ///< what landed_ consists of: with a tracer only
  std::vector<Unpacked> landings_;
  std::unique_ptr<Event> begun_;
  Tracer* tracer_;  ///< null: none
  std::size_t copying_ = 0;
};

}  // namespace halocline::device
