// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/simulate.hpp"
#include "model/simulation/host_memory.hpp"
#include "model/simulation/kernels.hpp"
#include "model/simulation/network.hpp"
#include "model/simulation/ranks.hpp"
#include "routing/messages.hpp"

namespace halocline::model::simulation {

/// The flows of messages, one message after the other.
class MessageFlows {
 public:
  MessageFlows(const partition::Geometry& geometry, const machine::MachineMap& map, const machine::Interconnect& links,
               const placement::Placement& placement, std::span<const routing::Route> routes,
               routing::Messages messages = routing::Messages::by_neighbour)
      : interconnect(links),
        messages_(messages),
        geometry_(geometry),
        map_(map),
        placement_(placement),
        software_(map.software),
        ranks_(map),
        kernels_(map, placement, routes, ranks_.resources) {}

  /// Whether messages are needed with their rows.
  [[nodiscard]] bool take_rows() const { return kernels_.known(); }

  /// Whether a route's message is sent as one for each direction.
  [[nodiscard]] bool by_direction(const routing::Route& route) const {
    return messages_ == routing::Messages::by_direction && routing::moves_one_by_one(route.transport);
  }

  /// Appends the flows of a message, which is the next one or, with `part_of_last`, of the same route as the last one; rows: what it
  /// holds where take_rows(), else null.
  void add(const routing::Route& route, std::int64_t bytes, const partition::Message* rows, bool part_of_last = false) {
    rows_ = rows;
    if (!part_of_last) ++routes_;
    from_ = &placement_.of(route.from);
    to_ = &placement_.of(route.to);
    bytes_ = bytes;
    last_ = -1;
    launched_ = -1;
    if (kernels_.carry(route)) {
      add_kernel(route);
      return;
    }
    switch (route.transport) {
      case routing::Transport::self:
        launch(from_->rank, 1);
        copy();
        break;
      case routing::Transport::direct:
        launch_once(launched_once_[place(*from_)], 1);
        copy();
        break;
      case routing::Transport::peer_copy:
      case routing::Transport::ipc_copy:
        launch(from_->rank, 2);
        touch(*from_);
        copy(software_.serial_copies ? &last_copy_[place(*from_)] : nullptr);
        launch(to_->rank, 1);
        touch(*to_);
        break;
      case routing::Transport::mpi_device:
        launch(from_->rank, 1);
        touch(*from_);
        send_from_device();
        work(to_->rank, ranks_.message_seconds() + ranks_.launch_seconds(1));
        touch(*to_);
        break;
      case routing::Transport::nccl:
        launch_once(launched_once_[place(*from_)], 3);
        touch(*from_);
        send_from_device();
        touch(*to_);
        break;
      case routing::Transport::mpi_staged:
        if (const auto bundle = routing::bundle_of(messages_, route.transport, *from_, *to_)) {
          launch_once(packed_once_[{*bundle, place(*from_)}], 2);
          touch(*from_);
          move(device(*from_), host(*from_));
          hold(*bundle);
          return;
        }
        launch(from_->rank, 2);
        touch(*from_);
        move(device(*from_), host(*from_));
        send_from_host();
        work(to_->rank, ranks_.message_seconds() + ranks_.launch_seconds(2));
        move(host(*to_), device(*to_));
        touch(*to_);
        break;
      case routing::Transport::net:
        launch_once(launched_once_[place(*from_)], 1);
        touch(*from_);
        move(device(*from_), host(*from_));
        send_from_host();
        work(to_->rank, ranks_.message_seconds());
        move(host(*to_), device(*to_));
        touch(*to_);
        break;
    }
    end();
  }

  /// After all messages.
  void finish() {
    std::map<std::int64_t, std::size_t> sent;
    std::map<std::int64_t, std::size_t> received;  // bundles, by node
    for (const auto& [key, parts] : bundles_) {
      const bool nodes = key.ends == routing::BundleKey::Ends::nodes;
      const placement::Slot* from = nodes ? leader(parts, sent[key.from]++, true) : parts.front().from;
      const placement::Slot* to = nodes ? leader(parts, received[key.to]++, false) : parts.front().to;
      send(parts, from, to);
    }
    for (Flow& flow : kernels_.least()) flows.push_back(std::move(flow));
  }

  /// A flow that ends a message, or one of its parts.
  struct End {
    std::size_t route = 0;  ///< in the order in which messages were added
    int flow = -1;
  };
  [[nodiscard]] const std::vector<End>& ends() const { return ends_; }
  [[nodiscard]] std::size_t routes() const { return routes_; }

  machine::Interconnect interconnect;
  [[nodiscard]] const std::vector<SharedResource>& resources() const { return ranks_.resources; }
  std::vector<Flow> flows;

 private:
  using DevicePlace = std::pair<std::int64_t, std::int64_t>;  ///< node, device
  static DevicePlace place(const placement::Slot& slot) { return {slot.node.value(), slot.device.value()}; }

  [[nodiscard]] machine::Place device(const placement::Slot& slot) const {
    return interconnect.device(slot.node, slot.device);
  }

  machine::Place host(const placement::Slot& slot) {
    const machine::Place place = device(slot);
    const int type = map_.nodes[slot.node.index()].type;
    const auto [found, is_new] = hosts_.try_emplace({type, place.vertex}, 0);
    if (is_new) found->second = host_vertex(map_.types[static_cast<std::size_t>(type)], place.vertex);
    return {slot.node, found->second};
  }

  /// A message of a bundle, which is in the host's memory.
  struct Part {
    const placement::Slot* from;
    const placement::Slot* to;
    std::int64_t bytes;
    std::optional<partition::Message> rows;
    int packed;            ///< its last flow
    std::size_t position;  ///< in ends_
  };

  void end() { ends_.push_back({routes_ - 1, last_}); }

  void hold(const routing::BundleKey& bundle) {
    std::optional<partition::Message> rows;
    if (rows_ != nullptr) rows = *rows_;
    bundles_[bundle].push_back({from_, to_, bytes_, std::move(rows), last_, ends_.size()});
    end();
  }

  /// The first slot of the rank that sends or receives a node's bundle.
  static const placement::Slot* leader(const std::vector<Part>& parts, std::size_t nth, bool sends) {
    std::map<rank_id, const placement::Slot*> slots;
    for (const Part& part : parts) slots.emplace((sends ? part.from : part.to)->rank, sends ? part.from : part.to);
    std::vector<rank_id> ranks;
    for (const auto& [rank, slot] : slots) ranks.push_back(rank);
    return slots.at(routing::leader(ranks, nth, sends));
  }

  /// One message of MPI for all parts, between the host memories of two slots. That the ranks of a node notify each other takes no time.
  void send(const std::vector<Part>& parts, const placement::Slot* from, const placement::Slot* to) {
    from_ = from;
    to_ = to;
    bytes_ = 0;
    last_ = launched_ = -1;
    for (const Part& part : parts) {
      bytes_ += part.bytes;
      joined_.push_back(part.packed);
    }
    send_from_host();
    work(to_->rank, ranks_.message_seconds());
    const int arrived = last_;
    std::map<DevicePlace, int> handed;  // what a device does with all its parts
    for (const Part& part : parts) {
      to_ = part.to;
      bytes_ = part.bytes;
      rows_ = part.rows ? &*part.rows : nullptr;
      last_ = arrived;
      const auto [known, is_first] = handed.try_emplace(place(*to_), arrived);
      if (is_first) {
        work(to_->rank, ranks_.launch_seconds(2));
        known->second = last_;
      }
      last_ = known->second;
      move(host(*to_), device(*to_));
      touch(*to_);
      ends_[part.position].flow = last_;
    }
  }

  /// The next stage of the message. serial: the flow that it comes after besides, where it is one of a queue.
  void stage(Flow flow, int* serial = nullptr) {
    flow.after.insert(flow.after.end(), joined_.begin(), joined_.end());
    joined_.clear();
    if (last_ >= 0) flow.after.push_back(last_);
    if (launched_ >= 0) flow.after.push_back(std::exchange(launched_, -1));
    if (serial != nullptr && *serial > 0) flow.after.push_back(*serial - 1);
    last_ = static_cast<int>(flows.size());
    if (serial != nullptr) *serial = last_ + 1;
    flows.push_back(std::move(flow));
  }

  /// Time of a rank's core is the next stage.
  void work(rank_id rank, double seconds) {
    if (seconds > 0) stage(ranks_.work(rank, seconds));
  }

  /// What the next stage does on a device is handed to it before, in the order of messages and as early as the rank's core can: it
  /// waits for nothing that devices do.
  void launch(rank_id rank, int launches) {
    if (ranks_.launch_seconds(launches) == 0) return;
    Flow flow = ranks_.work(rank, ranks_.launch_seconds(launches));
    int& queue = last_launch_[rank];
    if (queue > 0) flow.after.push_back(queue - 1);
    launched_ = static_cast<int>(flows.size());
    queue = launched_ + 1;
    flows.push_back(std::move(flow));
  }

  /// For several messages: all that a device sends by `direct` is one kernel, and so is all that it packs for a bundle. known: that
  /// launch plus one, 0 before.
  void launch_once(int& known, int launches) {
    if (known == 0) {
      launch(from_->rank, launches);
      known = launched_ + 1;
    }
    launched_ = known - 1;
  }

  void add_kernel(const routing::Route& route) {
    const machine::Place from = device(*from_);
    const machine::Place to = device(*to_);
    std::vector<std::int64_t> path;
    interconnect.route(from, to, path);
    double latency = 0;
    for (const std::int64_t channel : path) latency += interconnect.channel(channel).latency;
    Flow flow{from, to, counted(from, to)};
    kernels_.limit(flow, route, geometry_, *rows_, latency);
    stage(std::move(flow));
    end();
  }

  /// Bytes read and written within a device: packed, or unpacked.
  void touch(const placement::Slot& slot) {
    const machine::Place place = device(slot);
    Flow flow{place, place, 2 * bytes_};
    if (rows_ != nullptr) kernels_.limit_packing(flow, slot, geometry_, *rows_);
    stage(std::move(flow));
  }

  void move(const machine::Place& from, const machine::Place& to) { stage({from, to, bytes_}); }

  void copy(int* serial = nullptr) {
    const machine::Place from = device(*from_);
    const machine::Place to = device(*to_);
    stage({from, to, counted(from, to)}, serial);
  }

  /// Within a device bytes are read and written in one memory.
  [[nodiscard]] std::int64_t counted(const machine::Place& from, const machine::Place& to) const {
    const auto& vertices = map_.type_of(from.node).vertices;
    const bool within_device =
        from == to && vertices[static_cast<std::size_t>(from.vertex)].kind == machine::VertexKind::device;
    return within_device ? 2 * bytes_ : bytes_;
  }

  void send_from_device() {
    const machine::Place from = device(*from_);
    const machine::Place to = device(*to_);
    Flow flow{from, to, counted(from, to), software_.mpi_latency + software_.mpi_device_latency};
    if (from.node != to.node) ranks_.injects(flow, from_->rank, to_->rank);
    work(from_->rank, ranks_.message_seconds());
    stage(std::move(flow), software_.mpi_serialises_streams ? &last_sent_[from_->rank] : nullptr);
  }

  void send_from_host() {
    const machine::Place from = host(*from_);
    const machine::Place to = host(*to_);
    Flow flow{from, to, counted(from, to), software_.mpi_latency};
    if (from.node != to.node) {
      ranks_.injects(flow, from_->rank, to_->rank);
    } else {
      ranks_.copies(flow, from_->rank, to_->rank);
    }
    work(from_->rank, ranks_.message_seconds());
    stage(std::move(flow));
  }

  routing::Messages messages_;
  const partition::Geometry& geometry_;
  const machine::MachineMap& map_;
  const placement::Placement& placement_;
  const machine::Software& software_;
  std::map<std::pair<int, int>, int> hosts_;
  Ranks ranks_;
  Kernels kernels_;
  // The queue's last flow plus one; 0 where it is empty.
  std::map<DevicePlace, int> last_copy_;
  std::map<DevicePlace, int> launched_once_;
  std::map<std::pair<routing::BundleKey, DevicePlace>, int> packed_once_;
  std::map<rank_id, int> last_sent_;
  std::map<rank_id, int> last_launch_;
  std::map<routing::BundleKey, std::vector<Part>> bundles_;
  std::vector<End> ends_;
  std::size_t routes_ = 0;

  const placement::Slot* from_ = nullptr;
  const placement::Slot* to_ = nullptr;
  std::int64_t bytes_ = 0;
  const partition::Message* rows_ = nullptr;
  int last_ = -1;
  int launched_ = -1;        ///< what the next stage waits for besides
  std::vector<int> joined_;  ///< the parts that it waits for
};

/// The messages of all routes, in their order.
void add_all(MessageFlows& messages, const partition::Geometry& geometry, std::span<const routing::Route> routes);

/// Flows as simulate() solves them, also for another solver.
struct LinkProblem {
  std::vector<double> bandwidths;
  std::vector<LinkFlow> flows;
};
[[nodiscard]] LinkProblem link_problem(const machine::Interconnect& interconnect,
                                       std::span<const SharedResource> resources, std::span<const Flow> flows);

}  // namespace halocline::model::simulation
