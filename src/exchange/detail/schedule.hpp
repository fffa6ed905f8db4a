// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exchange/transport/endpoint.hpp"

namespace halocline::exchange {

/// An endpoint belongs to a site: the one whose stream joins it.
struct End {
  const Channel* channel;
  Site* site;
  std::unique_ptr<Endpoint> endpoint;
  bool done = true;    ///< the host's part of the running exchange
  Directions fills{};  ///< sides of the site's halo, of a receiver that the host drives
};

/// The part of an exchange that consists of stream operations, for all ends of a rank with Drive::scheduled. In each site's
/// stream:
///
///   begin     advance the site's epoch, and post "ready" to all its neighbours
///   send      each end in streams of its own, concurrently with the site's fused exchange if there is one
///   receive   after all sending of the site: wait for all arrivals, unpack them as one operation
///
/// A site waits for arrivals only after its own sending, and sending waits only for "ready". So the order
/// has no cycle (docs/decisions/0010), even if a waiting operation blocks others that share its hardware queue, or launches are
/// serialised.
///
/// If the backend prefers graphs, the sequence is captured once for each program and replayed: one graph for each site, or one for
/// all sites if an end has events of two sites wait for each other.
class Schedule {
 public:
  /// For the sites that have such ends. All outlive the schedule and keep their addresses; the ends are complete.
  Schedule(Context& context, std::vector<Site*> sites, std::vector<End>& ends);

  /// Called once for each program, after its ends were prepared.
  void prepare(const Program& program);
  /// Enqueues an exchange after each site's Site::begun: in the user's capture, as a graph, or operation by operation.
  void start(const Program& program, bool capturing);
  /// Orders later work in a user's stream after its site's part of the exchange.
  void join(const Site& site, device::Stream& user) const;

  /// The sites' streams.
  void each_stream(const VisitStream& visit) const;

 private:
  /// What is prepared for a program at a site.
  struct Part {
    std::vector<device::CounterCheck> parities;
    std::vector<device::FlagSignal> ready;
    std::vector<device::FlagWait> arrived;
    std::unique_ptr<device::CopyList> unpack;  ///< null if nothing is unpacked
  };
  struct Sequence {
    std::vector<Part> parts;                             ///< by site
    std::vector<std::unique_ptr<device::Graph>> graphs;  ///< by site, or one; none until they are replayed
  };

  void begin(const Site& site, const Part& part) const;
  void send(const Site& site, const Program& program) const;
  void receive(const Site& site, const Part& part) const;
  void enqueue(const Program& program);
  void capture(const Program& program);
  [[nodiscard]] std::unique_ptr<device::Graph> capture_all(const Program& program);
  [[nodiscard]] std::unique_ptr<device::Graph> capture_one(const Site& site, const Part& part, const Program& program);

  Context* context_;
  const std::vector<Site*> sites_;
  std::vector<End>* ends_;
  Prepared<Sequence> sequences_;
  const bool joint_;                     ///< all sites are captured as one graph
  std::unique_ptr<device::Event> fork_;  ///< of that capture
  bool replayed_ = false;                ///< the running exchange is a replay: joined by Site::replayed, not Site::done
};

}  // namespace halocline::exchange
