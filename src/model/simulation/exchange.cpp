#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "halocline/core/error.hpp"
#include "halocline/model/simulate.hpp"

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
      : interconnect(map), map_(map), placement_(placement), software_(map.software) {}

  /// Appends the flows of a message.
  void add(const routing::Route& route, std::int64_t bytes) {
    from_ = &placement_.of(route.from);
    to_ = &placement_.of(route.to);
    bytes_ = bytes;
    last_ = -1;
    switch (route.transport) {
      case Transport::self:
      case Transport::direct: copy(); break;
      case Transport::peer_copy:
      case Transport::ipc_copy:
        touch(device(*from_));
        copy(software_.serial_copies ? &last_copy_[{from_->node.value(), from_->device.value()}] : nullptr);
        touch(device(*to_));
        break;
      case Transport::mpi_device:
        touch(device(*from_));
        send_from_device();
        touch(device(*to_));
        break;
      case Transport::mpi_staged:
        touch(device(*from_));
        move(device(*from_), host(*from_));
        send_from_host();
        move(host(*to_), device(*to_));
        touch(device(*to_));
        break;
    }
    ends_.push_back(last_);
  }

  /// The flow that ends each message.
  [[nodiscard]] const std::vector<int>& ends() const { return ends_; }

  Interconnect interconnect;
  std::vector<Flow> flows;
  std::vector<SharedResource> resources;

 private:
  enum class Use : int { copy, send, receive };

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
    if (serial != nullptr && *serial > 0) flow.after.push_back(*serial - 1);
    last_ = static_cast<int>(flows.size());
    if (serial != nullptr) *serial = last_ + 1;
    flows.push_back(std::move(flow));
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
    if (from.node != to.node) inject(flow);
    stage(std::move(flow), software_.mpi_serialises_streams ? &last_sent_[from_->rank] : nullptr);
  }

  void send_from_host() {
    const Place from = host(*from_);
    const Place to = host(*to_);
    Flow flow{from, to, counted(from, to), software_.mpi_latency};
    if (from.node != to.node) {
      inject(flow);
    } else {
      limit(flow, Use::copy, from_->rank, software_.mpi_copy);
      if (from_->rank != to_->rank) limit(flow, Use::copy, to_->rank, software_.mpi_copy);
    }
    stage(std::move(flow));
  }

  void inject(Flow& flow) {
    limit(flow, Use::send, from_->rank, software_.mpi_injection);
    limit(flow, Use::receive, to_->rank, software_.mpi_injection);
  }

  void limit(Flow& flow, Use use, rank_id rank, double bandwidth) {
    if (bandwidth == 0) return;
    const auto [found, is_new] = uses_.try_emplace({use, rank}, static_cast<int>(resources.size()));
    if (is_new) {
      constexpr const char* verbs[] = {"copies", "sends", "receives"};
      resources.push_back({fmt::format("rank {} {}", rank.value(), verbs[static_cast<int>(use)]), bandwidth});
    }
    flow.resources.push_back(found->second);
  }

  const MachineMap& map_;
  const placement::Placement& placement_;
  const machine::Software& software_;
  std::map<std::pair<int, int>, int> hosts_;
  std::map<std::pair<Use, rank_id>, int> uses_;
  // The queue's last flow plus one; 0 where it is empty.
  std::map<std::pair<std::int64_t, std::int64_t>, int> last_copy_;
  std::map<rank_id, int> last_sent_;
  std::vector<int> ends_;

  const Slot* from_ = nullptr;
  const Slot* to_ = nullptr;
  std::int64_t bytes_ = 0;
  int last_ = -1;
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
  Simulated result = simulate(messages.interconnect, messages.resources, messages.flows, solver);
  std::vector<double> ends;
  for (const int flow : messages.ends()) ends.push_back(result.ends[static_cast<std::size_t>(flow)]);
  result.ends = std::move(ends);
  return result;
}

}  // namespace halocline::model
