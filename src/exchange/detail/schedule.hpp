// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "exchange/detail/fusion.hpp"
#include "exchange/transport/endpoint.hpp"

namespace halocline::exchange {

/// An endpoint belongs to a state: the one whose stream joins it.
struct End {
  End(const Channel& of, SubdomainState& at, std::unique_ptr<Endpoint> made)
      : channel(&of), state(&at), endpoint(std::move(made)), host(endpoint->host()) {}
  void arrived(Duration wait) { least_wait = std::min(least_wait, wait); }
  const Channel* channel;
  SubdomainState* state;
  std::unique_ptr<Endpoint> endpoint;
  HostEndpoint* host;  ///< the endpoint if the host drives it; otherwise null
  bool done = true;    ///< the host's part of the running exchange
  bool receives = false;
  Duration least_wait = Duration::max();  ///< see Exchange::time_arrivals; max(): not timed
  Directions fills{};                     ///< sides of the state's halo, of a receiver that the host drives
};

/// The part of an exchange that consists of stream operations, for all of a rank's scheduled endpoints. In each state's
/// stream:
///
///   begin     advance the state's epoch, unless the packing of its messages does, and post "ready" to all its neighbours
///   send      each end in streams of its own, concurrently with the state's fused exchange if there is one
///   receive   after all sending of the state: wait for all arrivals, unpack them as one operation
///
/// A state waits for arrivals only after its own sending, and sending waits only for "ready". So the order
/// has no cycle (docs/decisions/0010), even if a waiting operation blocks others that share its hardware queue, or launches are
/// serialised.
///
/// If the backend prefers graphs, the sequence is captured once for each plan and replayed: one graph for each state, or one for
/// all states if an end has events of two states wait for each other.
class Schedule {
 public:
  /// For the states that have such ends. All must outlive the schedule and keep their addresses; the list of ends is
  /// complete.
  Schedule(Context& context, std::vector<SubdomainState*> states, const std::vector<End>& ends);

  /// Whether all states are captured as one graph.
  [[nodiscard]] bool joint() const { return joint_; }
  /// Called once for each plan, after its ends were prepared.
  void prepare(const ExchangePlan& plan);
  /// Enqueues an exchange after each state's SubdomainState::begun: in the user's capture, as a graph, or operation by operation.
  void start(const ExchangePlan& plan, bool capturing);
  /// Orders later work in a user's stream after its state's part of the exchange.
  void join(const SubdomainState& state, device::Stream& user) const;

  /// The states' streams.
  void each_stream(const VisitStream& visit) const;

 private:
  /// The operations that are prepared for a plan at a state.
  struct Part {
    std::vector<device::CounterCheck> parities;
    std::vector<device::FlagSignal> ready;
    std::vector<device::FlagWait> arrived;
    std::unique_ptr<device::CopyList> unpack;  ///< null if nothing is unpacked
    std::vector<device::FlagSignal> done;      ///< then HeaderCheck::done, if that is there
    // For the tracer: by end, by arrival, and of the unpacking.
    std::vector<std::size_t> sent;
    std::vector<std::size_t> arrivals;
    std::size_t unpacking = 0;
  };
  struct Sequence {
    std::vector<Part> parts;                             ///< by state
    std::vector<std::unique_ptr<device::Graph>> graphs;  ///< by state, or one; none until they are replayed
  };

  void describe(const SubdomainState& state, Part& part, const ExchangePlan& plan) const;
  void begin(const SubdomainState& state, const Part& part) const;
  void send(const SubdomainState& state, const ExchangePlan& plan) const;
  void receive(const SubdomainState& state, const Part& part) const;
  void enqueue(const ExchangePlan& plan);
  void capture(const ExchangePlan& plan);
  [[nodiscard]] std::unique_ptr<device::Graph> capture_all(const ExchangePlan& plan);
  [[nodiscard]] std::unique_ptr<device::Graph> capture_one(const SubdomainState& state, const Part& part,
                                                           const ExchangePlan& plan);

  Context* context_;
  const std::vector<SubdomainState*> states_;
  std::map<const SubdomainState*, std::vector<const End*>> ends_;
  Prepared<Sequence> sequences_;
  bool joint_ = false;
  std::unique_ptr<device::Event> fork_;  ///< of that capture
  bool replayed_ =
      false;  ///< the running exchange is a replay: joined by SubdomainState::replayed, not SubdomainState::done
};

}  // namespace halocline::exchange
