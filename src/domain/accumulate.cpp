// SPDX-License-Identifier: BSD-3-Clause
// The reverse of an exchange: Domain::accumulate.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "comm/agree.hpp"
#include "comm/phase.hpp"
#include "comm/uncounted.hpp"
#include "domain/detail/domain_impl.hpp"

namespace halocline {

void Domain::Impl::make_accumulation() {
  const comm::Uncounted set_up;
  // A separate group, because the messages of the two exchanges have the same tags.
  auto group = comm->split(0, static_cast<int>(comm->rank().value()));
  group->set_timeout(options.timeout);
  std::unique_ptr<Accumulation> made;
  Memory back;
  std::vector<RoutedMessage> routed;
  comm::agree_on(*group, [&] {
    made = std::make_unique<Accumulation>(plan->geometry, *backend, memory().subdomains);
    // Halos are received in Halocline's own memory, even if a user's array is sent.
    const std::vector<Verdict> own(mine.size(), Verdict::of(true));
    // The check of order compares what was sent with what arrived.
    back = {&made->geometry(), made->subdomains(), own, own, !options.debug.validate_ordering,
            "accumulate",      exchange.get()};
  });
  const bool in_place_wanted = back.self_in_place;
  auto connected = connect(*group, std::move(back), routed);
  std::set<subdomain_id> in_place;
  for (const RoutedMessage& message : routed) {
    const bool self = message.route.from == message.route.to && message.route.transport == routing::Transport::self;
    if (in_place_wanted && self) in_place.insert(message.route.from);
  }
  made->use(std::move(group), std::move(connected), std::move(in_place));
  accumulation = std::move(made);
}

void Domain::Impl::accumulate(std::span<const Transfer> which, Combine combine) {
  const exchange::Selection& chosen = selection(which);
  for (const auto& item : chosen.items) {
    if (item.depth == exchange::Selection::Item::whole) continue;
    throw InvalidArgument(
        fmt::format("depth of field '{}' is {}; allowed for accumulate() is {} or more, the whole halo",
                    field(item.field).name, item.depth, plan->geometry.halo_of(item.field).most()));
  }
  const device::CountMemory counted(*account, device::Purpose::other);
  if (!accumulation) {
    if (captured()) {
      throw InvalidArgument("accumulate() must be called once before capture(): its first call is collective");
    }
    const comm::Phase phase("accumulate()");
    begin_together();
    exchange->guard([this] { make_accumulation(); });
  }
  if (captured()) exchange->expect(streams, chosen, "accumulate()");
  accumulation->run(streams, chosen, combine);
}

void Domain::accumulate(Combine combine) { accumulate(impl_->all_transfers, combine); }

void Domain::accumulate(const std::vector<Transfer>& transfers, Combine combine) {
  impl_->check_idle("accumulate()");
  impl_->accumulate(transfers, combine);
}

}  // namespace halocline
