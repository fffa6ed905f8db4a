// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/mapping.hpp"
#include "model/simulate.hpp"

namespace halocline::bench {
namespace {

using mapping::Seat;

class Traffic {
 public:
  Traffic(const machine::MachineMap& machine, const std::vector<Seat>& seats) : interconnect_(machine), seats_(seats) {
    for (const auto& type : machine.types) core_vertices_.push_back(mapping::core_vertices(type));
    for (const auto& node : machine.nodes) type_of_.push_back(static_cast<std::size_t>(node.type));
  }

  /// From the host's memory near the sender's core to that near the receiver's, or from GPU to GPU.
  void add(const mapping::CommunicationMatrix& matrix, bool of_gpus) {
    for (int from = 0; from < matrix.ranks(); ++from) {
      for (const auto& flow : matrix.row(from)) {
        if (flow.to != from && flow.bytes > 0) {
          flows_.push_back({place(from, of_gpus), place(flow.to, of_gpus), flow.bytes});
        }
      }
    }
  }
  [[nodiscard]] double seconds() const { return model::simulate(interconnect_, {}, flows_).seconds; }

 private:
  [[nodiscard]] machine::Place place(int rank, bool on_gpu) const {
    const Seat& seat = seats_[static_cast<std::size_t>(rank)];
    if (on_gpu) return interconnect_.device(node_id(seat.node), device_id(seat.device));
    const auto& vertices = core_vertices_[type_of_[static_cast<std::size_t>(seat.node)]];
    return {node_id(seat.node), vertices[static_cast<std::size_t>(seat.core)]};
  }

  machine::Interconnect interconnect_;
  const std::vector<Seat>& seats_;
  std::vector<std::vector<int>> core_vertices_;  ///< by type
  std::vector<std::size_t> type_of_;             ///< by node
  std::vector<model::Flow> flows_;
};

}  // namespace

double simulated_seconds(const machine::MachineMap& machine, const Case& one, const std::vector<Seat>& seats) {
  Traffic traffic(machine, seats);
  traffic.add(one.cpu, false);
  traffic.add(one.gpu, true);
  return traffic.seconds();
}

}  // namespace halocline::bench
