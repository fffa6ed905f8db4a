// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/predict.hpp"
#include "model/simulate.hpp"

namespace halocline::model::simulation {

/// What devices' kernels take, where a machine map tells it of real exchanges: each device has 1e9 nanoseconds a second for rows within
/// it, as many for those that its kernels send and for those that they receive, and a row takes what it took there. Packing and
/// unpacking are rows within a device. Links are shared besides.
class Kernels {
 public:
  /// resources: gets what flows share.
  Kernels(const machine::MachineMap& map, const placement::Placement& placement, std::span<const routing::Route> routes,
          std::vector<SharedResource>& resources);

  /// Whether the map has such rates.
  [[nodiscard]] bool known() const { return predictor_.why_not().empty(); }
  /// And the route is all done by kernels within a node.
  [[nodiscard]] bool carry(const routing::Route& route) const;
  /// For such a route: gives a flow the resources that its message takes; nothing is launched besides, as that was measured too.
  /// route_latency: seconds that pass on its channels, which count once.
  void limit(Flow& flow, const routing::Route& route, const partition::Geometry& geometry,
             const partition::Message& message, double route_latency);
  /// For another one: those that packing or unpacking the message takes of a device.
  void limit_packing(Flow& flow, const placement::Slot& slot, const partition::Geometry& geometry,
                     const partition::Message& message);
  /// What an exchange takes at least of each device with such a route: flows that go nowhere.
  [[nodiscard]] std::vector<Flow> least();

 private:
  using Device = std::pair<node_id, device_id>;
  enum class Use : int { within, send, receive };

  [[nodiscard]] Device device(subdomain_id subdomain) const;
  [[nodiscard]] bool is_beside(const Device& device) const;
  void take(Flow& flow, Use use, const Device& device, double seconds);
  int position(Use use, const Device& device);

  const placement::Placement& placement_;
  std::vector<SharedResource>& resources_;
  Predictor predictor_;
  std::set<Device> with_local_;
  std::set<Device> with_link_;
  std::map<Device, double> least_;
  std::map<std::pair<Use, Device>, int> uses_;
};

}  // namespace halocline::model::simulation
