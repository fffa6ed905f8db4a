// SPDX-License-Identifier: BSD-3-Clause
// How messages are consolidated, where the option leaves that to the model (docs/decisions/0074).
#include <algorithm>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "comm/requests.hpp"
#include "core/log.hpp"
#include "domain/detail/domain_impl.hpp"

namespace halocline {

/// On host devices, if the ranks that the plan has on this rank's node share memory. Collective over the node.
bool Domain::Impl::can_send_by_node() const {
  if (backend->kind() != DeviceKind::host) return false;
  const std::vector<rank_id> here = comm::gather_value(*node_comm, comm->rank());
  try {
    static_cast<void>(node_comm->shared_window(1));
  } catch (const CapabilityError&) {  // all ranks of the node throw it
    return false;
  }
  if (mine.empty()) return true;
  const node_id node = plan->placement.of(mine.front()).node;
  return std::ranges::all_of(plan->placement.slots, [&](const placement::Slot& slot) {
    return slot.node != node || std::ranges::find(here, slot.rank) != here.end();
  });
}

void Domain::Impl::choose_messages() {
  message_ranking.reset();
  if (options.routing.messages != routing::Messages::automatic) return;
  const bool by_node = comm->all_reduce(std::int64_t{can_send_by_node() ? 1 : 0}, comm::Reduction::min) == 1;
  const bool gpus = backend->kind() != DeviceKind::host;
  comm::agree_on(*comm, [&] {
    message_ranking = rank_messages(*plan, options.routing.policy, {.device_mpi = gpus, .by_node = by_node});
  });
  if (comm->rank() == rank_id(0)) {
    std::string line = explain_messages(*message_ranking);
    line.pop_back();
    log(LogLevel::info, line);
  }
}

}  // namespace halocline
