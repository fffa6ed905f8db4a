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

/// What devices do in an exchange by operations of streams, for all ends of a rank with Drive::scheduled. In each site's
/// stream:
///
///   begin     its epoch advances, and all its neighbours are told "ready"
///   send      every end, in streams of its own, behind that; beside them the site's fused exchange, if it has one
///   receive   behind all its sending: wait for all that arrives, unpack all of it as one operation
///
/// No arrival is waited for before the site's own sending is over, and sending waits for nothing but "ready": so the order
/// has no cycle (docs/decisions/0010), also where a waiting operation holds up others that share a hardware queue with
/// it, or launches are serialised.
///
/// Where the backend prefers graphs, the sequence is captured once for each program and replayed: a graph a site, or one for
/// all where an end has events of two sites wait for each other.
class Schedule {
 public:
  /// Of the sites that have such ends. All outlive the schedule and stay where they are; the ends are complete.
  Schedule(Context& context, std::vector<Site*> sites, std::vector<End>& ends);

  /// Once for each program, after its ends were prepared.
  void prepare(const Program& program);
  /// Enqueues an exchange behind each site's Site::begun: as part of the users' capture, or else as a graph or one by one.
  void start(const Program& program, bool capturing);
  /// Enqueues in a user's stream that later work waits for its site's part of the exchange.
  void join(const Site& site, device::Stream& user) const;

  /// The sites' streams.
  void each_stream(const VisitStream& visit) const;

 private:
  /// What is prepared for a program at a site.
  struct Part {
    std::vector<device::CounterCheck> parities;
    std::vector<device::FlagSignal> ready;
    std::vector<device::FlagWait> arrived;
    std::unique_ptr<device::CopyList> unpack;  ///< null where nothing lands
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
