// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/packet_routes.hpp"

#include "machine/nvlink.hpp"

namespace halocline {

void decide_packets(routing::Route& route, DeviceKind devices, bool on_host, const machine::MachineMap& machine,
                    const placement::Slot& from, const placement::Slot& to) {
  if (devices == DeviceKind::host) {
    route.packets = on_host;  // a flag costs the host little, and a packet is copied twice
    return;
  }
  if (route.transport != routing::Transport::direct) return;
  const bool same_node = from.node == to.node;
  route.packets = same_node && (from.device == to.device ||
                                machine::joined_by_nvlink(machine.type_of(from.node), from.device, to.device));
  if (route.packets) return;
  // Beyond the node nothing was tried that shows whether stores of a packet arrive as one.
  route.reason += same_node ? "; no packets: the machine map has no NVLink between the two GPUs"
                            : "; no packets: the two GPUs are of two nodes";
}

}  // namespace halocline
