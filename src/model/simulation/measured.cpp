// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/at.hpp"
#include "core/median.hpp"
#include "machine/paths.hpp"
#include "model/simulate.hpp"
#include "model/simulation/host_memory.hpp"

namespace halocline::model {
namespace {

using machine::Interconnect;
using machine::Measurement;
using machine::NodeType;
using machine::Place;

/// Both ways at once where that was measured: exchanges go both ways.
bool is_two_way_known(const NodeType& type, const Measurement& one) {
  return find_measurement(type, one.from, one.to, one.method, machine::Traffic::two_way, one.numa) != nullptr;
}

/// What is known of a node type's links from measurements across them.
class LinksOfNode {
 public:
  LinksOfNode(const Interconnect& interconnect, node_id node, const NodeType& type)
      : interconnect_(interconnect),
        node_(node),
        type_(type),
        fastest_(type.links.size(), 0),
        together_(type.links.size()) {
    for (const Measurement& one : type.measurements) {
      if (one.method != "copy" && one.method != "pinned") continue;
      if (one.traffic == machine::Traffic::one_way && is_two_way_known(type, one)) continue;
      if (one.traffic == machine::Traffic::all_pairs && one.method == "copy")
        continue;  // some of them end before others begin
      count(one);
    }
  }

  /// A link is as fast as the fastest rate across it, or as all copies from and to the host together, in the mean of both directions;
  /// but no faster than it was said to be where the latter counts.
  [[nodiscard]] double bandwidth(std::size_t link) const {
    const double nominal = type_.links[link].bandwidth;
    const double together = (together_[link][0] + together_[link][1]) / 2;
    const double found = std::max(fastest_[link], std::min(together, nominal));
    return found > 0 ? found : nominal;
  }

 private:
  [[nodiscard]] Place place(int end, const Measurement& one) const {
    const std::vector<int> devices = type_.device_vertices();
    if (end != Measurement::host) return {node_, devices[at(end)]};
    const int other = one.from == Measurement::host ? one.to : one.from;
    return {node_, one.numa >= 0 ? one.numa : simulation::host_vertex(type_, devices[at(other)])};
  }

  void count(const Measurement& one) {
    const Place from = place(one.from, one);
    const Place to = place(one.to, one);
    // A map may hold measurements of ways that its links do not show, or no memory of the host at all.
    if (one.from != one.to && (from == to || link_path(type_, from.vertex, to.vertex).bandwidth == 0)) return;
    path_.clear();
    interconnect_.route(from, to, path_);
    for (const std::int64_t channel : path_) {
      const Interconnect::NodeLink link = interconnect_.node_link(channel);
      if (one.traffic == machine::Traffic::all_pairs) {
        together_[at(link.link)][link.forward ? 0 : 1] += one.bandwidth;
      } else {
        fastest_[at(link.link)] = std::max(fastest_[at(link.link)], one.bandwidth);
      }
    }
  }

  const Interconnect& interconnect_;
  node_id node_;
  const NodeType& type_;
  std::vector<double> fastest_;
  std::vector<std::array<double, 2>> together_;
  std::vector<std::int64_t> path_;
};

enum class What : int { bandwidth, latency };

enum class Ends : int { two_devices, one_device };

/// Of a method, over all types; 0 where it was not measured.
double median_of(const machine::MachineMap& map, std::string_view method, machine::Traffic traffic, What what,
                 Ends ends = Ends::two_devices) {
  std::vector<double> values;
  for (const NodeType& type : map.types) {
    for (const Measurement& one : type.measurements) {
      if (one.method != method || one.traffic != traffic) continue;
      if ((one.from == one.to) != (ends == Ends::one_device)) continue;
      values.push_back(what == What::bandwidth ? one.bandwidth : one.latency);
    }
  }
  return median(std::move(values));
}

void set_where_open(double& value, double measured) {
  if (value == 0) value = measured;
}

/// What a rank copies for MPI, in and out together.
double mpi_copy_of(const machine::MachineMap& map) {
  const double both_ways = median_of(map, "mpi_host", machine::Traffic::two_way, What::bandwidth);
  return both_ways > 0 ? 2 * both_ways : median_of(map, "mpi_host", machine::Traffic::one_way, What::bandwidth);
}

}  // namespace

machine::MachineMap as_measured(machine::MachineMap map) {
  const Interconnect interconnect(map);
  std::vector<bool> known(map.types.size(), false);
  const machine::MachineMap said = map;
  for (std::size_t n = 0; n < map.nodes.size(); ++n) {
    const auto t = at(map.nodes[n].type);
    if (known[t]) continue;
    known[t] = true;
    const LinksOfNode links(interconnect, node_id(static_cast<std::int64_t>(n)), said.types[t]);
    for (std::size_t l = 0; l < map.types[t].links.size(); ++l) map.types[t].links[l].bandwidth = links.bandwidth(l);
  }
  set_where_open(map.software.mpi_copy, mpi_copy_of(map));
  set_where_open(map.software.mpi_latency, median_of(map, "mpi_host", machine::Traffic::one_way, What::latency));
  set_where_open(map.software.device_launch,
                 median_of(map, "copy", machine::Traffic::one_way, What::latency, Ends::one_device));
  return map;
}

}  // namespace halocline::model
