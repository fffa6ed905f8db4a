#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halocline/mapping/job.hpp"

namespace halocline::mapping {

enum class Processor { cpu, gpu };

/// The topologies of a machine, and its channels under one numbering: those of the network, then those of node after
/// node. A link that CPUs and GPUs of a node both use is one there.
class MachineView {
 public:
  /// map must outlive this.
  explicit MachineView(const machine::MachineMap& map);

  [[nodiscard]] const machine::MachineMap& map() const { return map_; }
  [[nodiscard]] const Topology& network() const { return network_; }
  /// Throws InvalidArgument where the node has no cores.
  [[nodiscard]] const Topology& cores(int node) const;
  [[nodiscard]] const Topology& devices(int node) const;

  struct MachineChannel {
    double bandwidth = 0;
    const std::string* level = nullptr;
  };
  [[nodiscard]] std::span<const MachineChannel> channels() const { return channels_; }
  /// Adds what a matrix sends from seat to seat to the loads of all channels.
  void add_loads(const CommunicationMatrix& matrix, Processor processor, const std::vector<Seat>& seats,
                 std::vector<std::int64_t>& loads) const;

 private:
  /// A node's channels: both ways of each link of its type, then what its cores alone have.
  struct Type {
    std::optional<Topology> cores;
    std::optional<Topology> devices;
    std::vector<std::size_t> of_cores;  ///< channel of the topology -> channel of the node
    std::vector<std::size_t> of_devices;
    std::vector<MachineChannel> channels;
  };
  [[nodiscard]] const Type& type_of(int node) const;
  static Type make_type(const machine::NodeType& type);

  const machine::MachineMap& map_;
  Topology network_;
  std::vector<Type> types_;
  std::vector<std::size_t> first_;  ///< channel of each node
  std::vector<MachineChannel> channels_;
};

}  // namespace halocline::mapping
