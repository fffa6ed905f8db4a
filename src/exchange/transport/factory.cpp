// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/transport/factory.hpp"

#include <fmt/core.h>

#include "routing/messages.hpp"

namespace halocline::exchange {

std::int64_t Channel::bytes() const { return routing::bytes_sent(partition::flow_of(message), transport); }

std::string Channel::label() const {
  return fmt::format("subdomain {} -> {}{} ({}, rank {} -> rank {})", message.from.value(), message.to.value(),
                     direction ? " towards " + to_string(*direction) : "", routing::to_string(transport),
                     sender.value(), receiver.value());
}

std::string Channel::track(const char* verb) const {
  return fmt::format("{} {} -> {}{} ({})", verb, message.from.value(), message.to.value(),
                     direction ? " towards " + to_string(*direction) : "", routing::to_string(transport));
}

std::size_t describe(const Context& context, device::Work work, int device, const Channel& channel, const char* verb,
                     std::int64_t bytes) {
  if (context.tracer == nullptr) return 0;
  return context.tracer->add({work, device, channel.track(verb), {channel.number}, 0, bytes});
}

Ends make_ends(const Channel& channel, Context& context, rank_id me) {
  const bool sends = channel.sender == me;
  const bool receives = channel.receiver == me;
  switch (channel.transport) {
    case routing::Transport::self: return make_self(channel, context);
    case routing::Transport::peer_copy: return make_peer_copy(channel, context);
    case routing::Transport::ipc_copy: return make_ipc_copy(channel, context, sends, receives);
    case routing::Transport::direct: return make_direct(channel, context, sends, receives);
    case routing::Transport::mpi_device: return make_mpi_device(channel, context, sends, receives);
    case routing::Transport::mpi_staged: return make_mpi_staged(channel, context, sends, receives);
    case routing::Transport::net: return make_net(channel, context, sends, receives);
    case routing::Transport::nccl: return make_nccl(channel, context, sends, receives);
  }
  throw InternalError("a route without a transport");
}

}  // namespace halocline::exchange
