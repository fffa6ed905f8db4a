// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mapping/job.hpp"

namespace halocline::mapping {

enum class Processor { cpu, gpu };

/// The topologies of a machine, and its channels under one numbering: first the channels of the network, rail by rail,
/// then each node's. A link that both CPUs and GPUs of a node use is one channel there.
class MachineView {
 public:
  /// map must outlive this object.
  explicit MachineView(const machine::MachineMap& map);

  [[nodiscard]] const machine::MachineMap& map() const { return map_; }
  [[nodiscard]] const Topology& network() const { return network_; }
  /// Throws InvalidArgument if the node has no cores.
  [[nodiscard]] const Topology& cores(int node) const;
  [[nodiscard]] const Topology& devices(int node) const;

  [[nodiscard]] std::span<const machine::Channel> channels() const { return channels_; }
  /// Adds the bytes that a matrix sends from seat to seat to the loads of all channels. Between nodes they use the rail
  /// of the sender's core or device; traffic between devices of one rack over their own links does not load the
  /// network.
  void add_loads(const CommunicationMatrix& matrix, Processor processor, const std::vector<Seat>& seats,
                 std::vector<std::int64_t>& loads) const;

 private:
  /// A node's channels: both directions of each link of its type, then the channels that only its cores have.
  struct Type {
    std::optional<Topology> cores;
    std::optional<Topology> devices;
    std::vector<std::size_t> of_cores;  ///< channel of the topology -> channel of the node
    std::vector<std::size_t> of_devices;
    std::vector<int> core_vertices;  ///< in the node
    std::vector<int> device_vertices;
    std::vector<machine::Channel> channels;
  };
  [[nodiscard]] const Type& type_of(int node) const;
  static Type make_type(const machine::NodeType& type);
  void add_between_nodes(const Seat& from, const Seat& to, Processor processor, std::int64_t bytes,
                         std::vector<std::int64_t>& loads) const;
  [[nodiscard]] machine::Place place_of(const Seat& seat, Processor processor) const;

  const machine::MachineMap& map_;
  machine::Interconnect interconnect_;
  Topology network_;
  std::vector<Type> types_;
  std::vector<std::size_t> first_;  ///< channel of each node
  std::vector<machine::Channel> channels_;
};

}  // namespace halocline::mapping
