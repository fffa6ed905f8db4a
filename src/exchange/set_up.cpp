// SPDX-License-Identifier: BSD-3-Clause
// The set-up of an Exchange: states, channels, and the data that the two ends of each channel exchange.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "core/hash.hpp"
#include "core/serialise.hpp"
#include "device/memory_account.hpp"
#include "exchange/detail/exchange_impl.hpp"
#include "exchange/detail/tags.hpp"

namespace halocline::exchange {
namespace {

/// Yes if no rank has a reason against it, otherwise the first rank's.
Verdict of_all_ranks(const std::vector<std::string>& reasons) {
  for (std::size_t rank = 0; rank < reasons.size(); ++rank) {
    if (!reasons[rank].empty()) return {false, fmt::format("rank {}: {}", rank, reasons[rank])};
  }
  return Verdict::of(true);
}

}  // namespace

Exchange::Impl::Impl(Setup setup)
    : setup_(std::move(setup)), me_(setup_.comm->rank()), mappings_(std::make_unique<Mappings>(*setup_.backend)) {}

void Exchange::Impl::set_up() {
  const device::CountMemory counted(device::Purpose::messages);
  if (setup_.in_turn_with != nullptr) {
    abort_ = setup_.in_turn_with->impl_->abort_;
    abort_registration_ = setup_.in_turn_with->impl_->abort_registration_;
    salt_ = Hash().add(setup_.recorded_as).value();
  } else {
    comm::agree_on(*setup_.comm, [&] { abort_ = std::make_unique<AbortWord>(*setup_.node_comm); });
  }
  context_.comm = setup_.comm;
  context_.backend = setup_.backend;
  context_.geometry = setup_.geometry;
  context_.mappings = mappings_.get();
  context_.tuning = setup_.tuning;
  context_.timeout = setup_.timeout;
  context_.abort = abort_->word();
  context_.tracer = setup_.tracer;
  if (setup_.in_turn_with != nullptr) {
    context_.rooms = setup_.in_turn_with->impl_->context_.rooms;
    context_.waiting = setup_.in_turn_with->impl_->context_.waiting;
  }
  comm::agree_on(*setup_.comm, [&] {
    check_settings();
    if (!abort_registration_) {
      abort_registration_ =
          setup_.backend->register_host(reinterpret_cast<const std::byte*>(context_.abort), sizeof *context_.abort);
    }
    make_states(std::move(setup_.subdomains));
    make_channels(setup_.routes);
  });
  if (setup_.messages == Messages::by_node) make_node_bundles();
  if (setup_.network) {
    network_ = std::make_unique<net::Network>(*setup_.comm, *setup_.backend, *abort_, *setup_.network);
  }
  context_.network = network_.get();
  if (setup_.communicators) {
    communicators_ = std::make_unique<nccl::Communicators>(*setup_.comm, *setup_.backend, *abort_, setup_.timeout,
                                                           *setup_.placement, channels_);
  }
  context_.communicators = communicators_.get();
  comm::agree_on(*setup_.comm, [&] {
    make_all_ends();
    for (End& end : ends_) end.endpoint->reserve();
    for (SubdomainState* state : states_) state->mailbox.allocate(*setup_.backend, state->device());
    make_drivers();
    if (setup_.validate_ordering) {
      order_check_ = std::make_unique<OrderCheck>(context_, me_, channels_,
                                                  [this](subdomain_id id) -> device::Stream& { return stream_of(id); });
    }
  });
  connect();
  if (setup_.recorder != nullptr) {
    comm::agree_on(*setup_.comm, [&] {
      record_ = std::make_unique<ExchangeRecord>(*setup_.recorder, *setup_.backend, setup_.recorded_as, ends_, *abort_);
    });
  }
  if (network_) network_->start(*setup_.comm);
  std::string why_not;
  comm::agree_on(*setup_.comm, [&] {
    if (communicators_) communicators_->start();
    why_not = may_capture().why_not;
  });
  const std::vector<std::string> reasons = comm::gather(*setup_.comm, why_not);
  comm::agree_on(*setup_.comm, [&] { capturable_ = of_all_ranks(reasons); });
}

/// Collective.
void Exchange::Impl::make_node_bundles() {
  comm::agree_on(*setup_.comm, [&] {
    std::vector<const Channel*> between;
    for (const auto& [key, channels] : bundled_) {
      if (key.ends == routing::BundleKey::Ends::nodes) between.insert(between.end(), channels.begin(), channels.end());
    }
    node_bundles_ = std::make_unique<NodeBundles>(*setup_.node_comm, me_, *setup_.geometry, *setup_.placement, between);
  });
  comm::agree_on(*setup_.comm, [&] { node_bundles_->share(*setup_.node_comm); });
}

void Exchange::Impl::check_settings() const {
  if (setup_.messages == Messages::by_node && setup_.backend->kind() != DeviceKind::host) {
    throw CapabilityError(fmt::format("messages is by_node with {} devices; allowed is by_node with host devices only",
                                      to_string(setup_.backend->kind())));
  }
  if (setup_.tuning.staging_chunk_bytes < 1) {
    throw InvalidArgument(
        fmt::format("staging_chunk_bytes is {}; allowed is 1 or more", setup_.tuning.staging_chunk_bytes));
  }
  if (setup_.tuning.packed_piece_bytes < 1) {
    throw InvalidArgument(
        fmt::format("packed_piece_bytes is {}; allowed is 1 or more", setup_.tuning.packed_piece_bytes));
  }
  if (setup_.tuning.packets_at_most_bytes < 0) {
    throw InvalidArgument(fmt::format("packets_at_most_bytes is {}; allowed is 0 (no packets) or more",
                                      setup_.tuning.packets_at_most_bytes));
  }
  if (setup_.tuning.domains_at_once < 1) {
    throw InvalidArgument(fmt::format("domains_at_once is {}; allowed is 1 or more", setup_.tuning.domains_at_once));
  }
  if (setup_.tuning.multiprocessors < 0) {
    throw InvalidArgument(fmt::format("multiprocessors is {}; allowed is 0 (as many as are of use) or more",
                                      setup_.tuning.multiprocessors));
  }
}

/// Each end has one driver; the host's own is Exchange::Impl.
void Exchange::Impl::make_drivers() {
  std::map<int, std::vector<Fusion::Member>> fused;  // by device
  std::vector<SubdomainState*> scheduled;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    SubdomainState* state = states_[i];
    Fusion::Member member{state, i, {}, false};
    for (const End& end : ends_) {
      if (end.state != state) continue;
      if (FusedEndpoint* fused_end = end.endpoint->fused()) {
        member.ends.push_back({fused_end, end.channel});
        member.waits = member.waits || end.channel->transport != routing::Transport::self;
      }
      state->scheduled = state->scheduled || end.endpoint->scheduled() != nullptr;
      state->hosted = state->hosted || end.host != nullptr;
    }
    if (!member.ends.empty()) fused[state->device()].push_back(std::move(member));
    if (state->scheduled) scheduled.push_back(state);
  }
  schedule_ = std::make_unique<Schedule>(context_, std::move(scheduled), ends_);
  for (auto& [device, members] : fused) {
    SubdomainState* first = members.front().state;
    fusions_.push_back(std::make_unique<Fusion>(context_, std::move(members)));
    if (fusions_.back()->scheduled()) first->fusion = fusions_.back().get();
  }
  if (context_.tuning.domains_at_once == 1) return;
  for (const End& end : ends_) {
    const int device = end.state->device();
    // NCCL's kernel takes turns with the fused exchange, so that it has the room of one.
    if (end.channel->transport == routing::Transport::nccl && !context_.rooms.contains(device)) {
      context_.rooms[device] =
          context_.backend->reserve_room(device, context_.tuning.domains_at_once, context_.tuning.multiprocessors);
    }
    if (end.channel->transport != routing::Transport::ipc_copy || context_.rooms.contains(device)) continue;
    if (!context_.waiting.contains(device)) context_.waiting[device] = context_.backend->reserve_room(device, 0, 0);
  }
}

void Exchange::Impl::make_states(std::vector<LocalSubdomain> subdomains) {
  for (LocalSubdomain& subdomain : subdomains) {
    const subdomain_id id = subdomain.id;
    SubdomainState& state = context_.states[id];
    state.subdomain = std::move(subdomain);
    state.memory = {setup_.geometry, id, &state.subdomain.arrays};
    state.received = state.memory;
    if (!state.subdomain.received.empty()) state.received.arrays = &state.subdomain.received;
    state.begun = setup_.backend->create_event(state.device());
    for (std::size_t f = 0; f < setup_.geometry->fields.size(); ++f)
      state.swaps.push_back(state.mailbox.reserve_flags(1));
    states_.push_back(&state);
  }
}

void Exchange::Impl::make_channels(const std::vector<routing::Route>& routes) {
  std::map<std::pair<subdomain_id, subdomain_id>, const routing::Route*> by_pair;
  for (const routing::Route& route : routes) by_pair[{route.from, route.to}] = &route;
  const auto route_of = [&](const partition::Message& message) -> const routing::Route& {
    const auto found = by_pair.find({message.from, message.to});
    if (found != by_pair.end()) return *found->second;
    throw InternalError(fmt::format("no route for subdomain {} -> {}", message.from.value(), message.to.value()));
  };

  routing::MessageTable messages;
  const auto add = [&](partition::Message message) {
    if (setup_.self_in_place && message.from == message.to && route_of(message).transport == routing::Transport::self) {
      return;
    }
    if (setup_.messages != Messages::by_direction || !routing::moves_one_by_one(route_of(message).transport)) {
      messages[{message.from, message.to}] = std::move(message);
      return;
    }
    for (auto& [direction, part] : routing::by_direction(message)) {
      messages[{part.from, part.to, direction}] = std::move(part);
    }
  };
  for (const SubdomainState* state : states_) {
    for (auto& message : partition::outgoing(*setup_.geometry, state->subdomain.id)) add(std::move(message));
    for (auto& message : partition::incoming(*setup_.geometry, state->subdomain.id)) add(std::move(message));
  }

  // Tags count the messages from one rank to another in this order, which is the same at both ends.
  using Ranks = std::pair<rank_id, rank_id>;
  std::map<Ranks, int> counts;
  for (auto& [key, message] : messages) {
    const routing::Route& route = route_of(message);
    const placement::Slot& from = setup_.placement->of(key.from);
    const placement::Slot& to = setup_.placement->of(key.to);
    make_channel(key, std::move(message), route, counts[{from.rank, to.rank}]++);
    if (const auto bundle = routing::bundle_of(setup_.messages, route.transport, from, to)) {
      bundled_[*bundle].push_back(channels_.back().get());
    }
  }
}

/// The number-th message from the one rank to the other.
void Exchange::Impl::make_channel(const routing::MessageKey& key, partition::Message message,
                                  const routing::Route& route, int number) {
  auto channel = std::make_unique<Channel>();
  channel->transport = route.transport;
  channel->packets = route.packets;
  channel->in_place = route.in_place;
  channel->sender = setup_.placement->of(key.from).rank;
  channel->receiver = setup_.placement->of(key.to).rank;
  if (key.direction >= 0) channel->direction = all_directions[static_cast<std::size_t>(key.direction)];
  channel->tag = tags::message(number);
  channel->number = channels_.size();
  channel->message = std::move(message);
  channels_.push_back(std::move(channel));
}

/// In the order of channels_.
void Exchange::Impl::make_all_ends() {
  std::map<const Channel*, Ends> made;
  const auto make = [&](const BundleSite& site) {
    bool first = true;
    for (auto& [channel, ends] : make_bundled(site, context_, me_)) {
      // The rank that sends the bundle counts it, with its first message.
      channels_[channel->number]->follows = site.leader != me_ || !first;
      first = false;
      made[channel] = std::move(ends);
    }
  };
  for (const auto& [key, channels] : bundled_) {
    if (key.ends == routing::BundleKey::Ends::nodes || channels.size() < 2) continue;
    const Channel& first = *channels.front();
    const bool sends = first.sender == me_;
    make({.channels = channels,
          .leader = sends ? first.sender : first.receiver,
          .other_leader = sends ? first.receiver : first.sender,
          .tag = first.tag});
  }
  if (node_bundles_) {
    for (const BundleSite& site : node_bundles_->sites()) make(site);
  }
  for (const auto& channel : channels_) {
    const auto found = made.find(channel.get());
    add_ends(*channel, found == made.end() ? make_ends(*channel, context_, me_) : std::move(found->second));
  }
}

void Exchange::Impl::add_ends(const Channel& channel, Ends made) {
  const bool by_host = made.receiver && made.receiver->host() != nullptr;
  const Directions sides = routing::sides_of(channel.message);
  if (channel.receiver == me_) {
    SubdomainState& state = context_.state(channel.message.to);
    state.filled |= sides;
    if (!by_host) state.filled_by_device |= sides;
  }
  if (made.sender) ends_.emplace_back(channel, context_.state(channel.message.from), std::move(made.sender));
  if (made.receiver) {
    End& end = ends_.emplace_back(channel, context_.state(channel.message.to), std::move(made.receiver));
    end.receives = true;
    if (by_host) end.fills = sides;
  }
}

void Exchange::Impl::connect() {
  // Each end writes what its other end reads; ends_ is in the order of (from, to) on both ranks, sender before
  // receiver.
  const auto other_rank = [&](const End& end) {
    return end.channel->sender == me_ ? end.channel->receiver : end.channel->sender;
  };
  const auto is_sender = [&](const End& end, std::size_t i) {
    if (end.channel->sender != end.channel->receiver) return end.channel->sender == me_;
    return i == 0 || ends_[i - 1].channel != end.channel;
  };
  using Parts = std::pair<std::vector<std::byte>, std::vector<std::byte>>;  // by senders and by receivers
  std::map<rank_id, ByteWriter> writers[2];
  std::map<rank_id, std::vector<std::byte>> outgoing;
  comm::agree_on(*setup_.comm, [&] {
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      ends_[i].endpoint->publish(writers[is_sender(ends_[i], i) ? 0 : 1][other_rank(ends_[i])]);
    }
    for (const End& end : ends_) outgoing[other_rank(end)];
    for (auto& [rank, bytes] : outgoing) bytes = to_bytes(Parts(writers[0][rank].take(), writers[1][rank].take()));
  });
  const auto incoming = exchange_blobs(*setup_.comm, std::move(outgoing));
  comm::agree_on(*setup_.comm, [&] {
    // Data from the other side's senders is for this side's receivers.
    std::map<rank_id, Parts> parts;
    std::map<rank_id, ByteReader> for_receivers;
    std::map<rank_id, ByteReader> for_senders;
    for (const auto& [rank, bytes] : incoming) {
      const Parts& here = parts[rank] = from_bytes<Parts>(bytes);
      for_receivers.emplace(rank, here.first);
      for_senders.emplace(rank, here.second);
    }
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      auto& readers = is_sender(ends_[i], i) ? for_senders : for_receivers;
      ends_[i].endpoint->connect(readers.at(other_rank(ends_[i])));
    }
    for (const auto* readers : {&for_receivers, &for_senders}) {
      for (const auto& [rank, reader] : *readers) {
        if (!reader.empty()) {
          throw InternalError(fmt::format("rank {} published more than rank {} reads", rank.value(), me_.value()));
        }
      }
    }
  });
}

}  // namespace halocline::exchange
