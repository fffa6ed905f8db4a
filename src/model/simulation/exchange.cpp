#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "halocline/core/error.hpp"
#include "halocline/model/simulate.hpp"
#include "model/simulation/ranks.hpp"

namespace halocline::model {
namespace {

using machine::Interconnect;
using machine::MachineMap;
using machine::NodeType;
using machine::Place;
using machine::VertexKind;
using placement::Slot;
using routing::Transport;

/// The host's memory near a device: vertex of the NUMA node with the widest path, of equals the one with the least latency,
/// then the first; of the packages where there are none; the device itself where there is neither.
int host_vertex(const NodeType& type, int device) {
  for (const VertexKind kind : {VertexKind::numa, VertexKind::package}) {
    int best = -1;
    NodeType::Path best_path;
    for (int v = 0; std::cmp_less(v, type.vertices.size()); ++v) {
      if (type.vertices[static_cast<std::size_t>(v)].kind != kind) continue;
      const NodeType::Path path = type.link_path(device, v);
      const bool wider = path.bandwidth > best_path.bandwidth;
      if (!wider && !(path.bandwidth == best_path.bandwidth && path.latency < best_path.latency)) continue;
      best = v;
      best_path = path;
    }
    if (best >= 0) return best;
  }
  return device;
}

/// The flows of messages, one message after the other.
class Messages {
 public:
  Messages(const MachineMap& map, const placement::Placement& placement)
      : interconnect(map), map_(map), placement_(placement), software_(map.software), ranks_(map.software) {}

  /// Appends the flows of a message.
  void add(const routing::Route& route, std::int64_t bytes) {
    from_ = &placement_.of(route.from);
    to_ = &placement_.of(route.to);
    bytes_ = bytes;
    last_ = -1;
    launched_ = -1;
    switch (route.transport) {
      case Transport::self:
        launch(from_->rank, 1);
        copy();
        break;
      case Transport::direct:
        launch_once();
        copy();
        break;
      case Transport::peer_copy:
      case Transport::ipc_copy:
        launch(from_->rank, 2);
        touch(device(*from_));
        copy(software_.serial_copies ? &last_copy_[{from_->node.value(), from_->device.value()}] : nullptr);
        launch(to_->rank, 1);
        touch(device(*to_));
        break;
      case Transport::mpi_device:
        launch(from_->rank, 1);
        touch(device(*from_));
        send_from_device();
        work(to_->rank, ranks_.message_seconds() + ranks_.launch_seconds(1));
        touch(device(*to_));
        break;
      case Transport::mpi_staged:
        launch(from_->rank, 2);
        touch(device(*from_));
        move(device(*from_), host(*from_));
        send_from_host();
        work(to_->rank, ranks_.message_seconds() + ranks_.launch_seconds(2));
        move(host(*to_), device(*to_));
        touch(device(*to_));
        break;
    }
    ends_.push_back(last_);
  }

  /// The flow that ends each message.
  [[nodiscard]] const std::vector<int>& ends() const { return ends_; }

  Interconnect interconnect;
  [[nodiscard]] const std::vector<SharedResource>& resources() const { return ranks_.resources; }
  std::vector<Flow> flows;

 private:
  [[nodiscard]] Place device(const Slot& slot) const { return interconnect.device(slot.node, slot.device); }

  Place host(const Slot& slot) {
    const Place place = device(slot);
    const int type = map_.nodes[slot.node.index()].type;
    const auto [found, is_new] = hosts_.try_emplace({type, place.vertex}, 0);
    if (is_new) found->second = host_vertex(map_.types[static_cast<std::size_t>(type)], place.vertex);
    return {slot.node, found->second};
  }

  /// The next stage of the message. serial: the flow that it comes after besides, where it is one of a queue.
  void stage(Flow flow, int* serial = nullptr) {
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

  /// All that a device sends by `direct` is one kernel.
  void launch_once() {
    int& known = launched_once_[{from_->node.value(), from_->device.value()}];
    if (known == 0) {
      launch(from_->rank, 1);
      known = launched_ + 1;
    }
    launched_ = known - 1;
  }

  /// Bytes read and written within a device: packed, or unpacked.
  void touch(const Place& place) { stage({place, place, 2 * bytes_}); }

  void move(const Place& from, const Place& to) { stage({from, to, bytes_}); }

  void copy(int* serial = nullptr) {
    const Place from = device(*from_);
    const Place to = device(*to_);
    stage({from, to, counted(from, to)}, serial);
  }

  /// Within a device bytes are read and written in one memory.
  [[nodiscard]] std::int64_t counted(const Place& from, const Place& to) const {
    const auto& vertices = map_.type_of(from.node).vertices;
    const bool within_device = from == to && vertices[static_cast<std::size_t>(from.vertex)].kind == VertexKind::device;
    return within_device ? 2 * bytes_ : bytes_;
  }

  void send_from_device() {
    const Place from = device(*from_);
    const Place to = device(*to_);
    Flow flow{from, to, counted(from, to), software_.mpi_latency + software_.mpi_device_latency};
    if (from.node != to.node) ranks_.injects(flow, from_->rank, to_->rank);
    work(from_->rank, ranks_.message_seconds());
    stage(std::move(flow), software_.mpi_serialises_streams ? &last_sent_[from_->rank] : nullptr);
  }

  void send_from_host() {
    const Place from = host(*from_);
    const Place to = host(*to_);
    Flow flow{from, to, counted(from, to), software_.mpi_latency};
    if (from.node != to.node) {
      ranks_.injects(flow, from_->rank, to_->rank);
    } else {
      ranks_.copies(flow, from_->rank, to_->rank);
    }
    work(from_->rank, ranks_.message_seconds());
    stage(std::move(flow));
  }

  const MachineMap& map_;
  const placement::Placement& placement_;
  const machine::Software& software_;
  std::map<std::pair<int, int>, int> hosts_;
  simulation::Ranks ranks_;
  // The queue's last flow plus one; 0 where it is empty.
  std::map<std::pair<std::int64_t, std::int64_t>, int> last_copy_;
  std::map<std::pair<std::int64_t, std::int64_t>, int> launched_once_;
  std::map<rank_id, int> last_sent_;
  std::map<rank_id, int> last_launch_;
  std::vector<int> ends_;

  const Slot* from_ = nullptr;
  const Slot* to_ = nullptr;
  std::int64_t bytes_ = 0;
  int last_ = -1;
  int launched_ = -1;  ///< what the next stage waits for besides
};

std::int64_t bytes_between(std::span<const partition::Flow> flows, const routing::Route& route) {
  for (const partition::Flow& flow : flows) {
    if (flow.to == route.to) return flow.bytes;
  }
  throw InvalidArgument(fmt::format("a route leads from subdomain {} to {}; allowed is a pair that has a message",
                                    route.from.value(), route.to.value()));
}

}  // namespace

Simulated simulate_exchange(const partition::Geometry& geometry, const placement::Placement& placement,
                            std::span<const routing::Route> routes, const MachineMap& map, Solver solver) {
  Messages messages(map, placement);
  subdomain_id sender;
  std::vector<partition::Flow> sent;
  for (const routing::Route& route : routes) {
    if (route.from != sender) {
      sender = route.from;
      sent = partition::outgoing_flows(geometry, sender);
    }
    messages.add(route, bytes_between(sent, route));
  }
  Simulated result = simulate(messages.interconnect, messages.resources(), messages.flows, solver);
  std::vector<double> ends;
  for (const int flow : messages.ends()) ends.push_back(result.ends[static_cast<std::size_t>(flow)]);
  result.ends = std::move(ends);
  return result;
}

}  // namespace halocline::model
