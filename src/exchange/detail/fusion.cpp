// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/fusion.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace halocline::exchange {
namespace {

/// A number of multiprocessors that fills most of a link (docs/guide/9-numbers.md), and leaves nearly all others to a
/// kernel.
constexpr int concurrent_multiprocessors = 16;

}  // namespace

Fusion::Fusion(Context& context, std::vector<Member> members)
    : context_(&context),
      device_(members.front().state->device()),
      members_(std::move(members)),
      stream_(context.backend->create_stream(device_, device::Priority::high,
                                             fmt::format("device {}: fused exchange", device_))),
      done_(context.backend->create_event(device_)) {
  const bool waits = std::ranges::any_of(members_, [](const Member& member) { return member.waits; });
  const Tuning& tuning = context.tuning;
  if (waits && tuning.domains_at_once > 1) {
    std::shared_ptr<device::Room>& room = context.rooms[device_];
    if (!room) room = context.backend->reserve_room(device_, tuning.domains_at_once, tuning.multiprocessors);
    room_ = room;
  }
  for (std::size_t i = 0; i < members_.size(); ++i) begun_.push_back(context.backend->create_event(device_));
}

device::FusedPlan Fusion::fused_plan(const ExchangePlan& plan, Overlap overlap) const {
  device::FusedPlan fused;
  fused.room = room_.get();
  fused.multiprocessors = context_->tuning.multiprocessors;
  if (fused.multiprocessors == 0 && overlap == Overlap::possible) fused.multiprocessors = concurrent_multiprocessors;
  for (const Member& member : members_) {
    const SubdomainState& state = *member.state;
    device::Participant participant;
    participant.epoch = state.mailbox.fused_epoch();
    participant.expected = parities(state, *context_->geometry, plan.selection);
    for (FusedEndpoint* end : member.ends) end->contribute(plan, participant, fused.local);
    fused.participants.push_back(std::move(participant));
  }
  return fused;
}

device::FusedExchange& Fusion::form(const ExchangePlan& plan, Overlap overlap) {
  auto& made = exchanges_.of(plan)[overlap == Overlap::none ? 0 : 1];
  if (!made) made = context_->backend->fuse(device_, fused_plan(plan, overlap));
  return *made;
}

void Fusion::prepare(const ExchangePlan& plan) {
  exchanges_.make(plan, [] { return Forms(); });
  if (scheduled()) static_cast<void>(form(plan, Overlap::none));
}

void Fusion::send(const ExchangePlan& plan) {
  stream_->wait(*members_.front().state->open);
  stream_->run(form(plan, Overlap::none));
  stream_->record(*done_);
}

void Fusion::start(const ExchangePlan& plan, std::span<device::Stream* const> users, Overlap overlap) {
  carrier_ = overlap == Overlap::none ? users[members_.front().place] : stream_.get();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    device::Stream* user = users[members_[i].place];
    if (user == carrier_) continue;
    user->record(*begun_[i]);
    carrier_->wait(*begun_[i]);
  }
  carrier_->run(form(plan, overlap));
  if (members_.size() > 1 || carrier_ == stream_.get()) carrier_->record(*done_);
}

void Fusion::join(std::span<device::Stream* const> users) const {
  for (const Member& member : members_) {
    device::Stream* user = users[member.place];
    if (user != carrier_) user->wait(*done_);
  }
}

bool Fusion::has(const SubdomainState& state) const {
  return std::ranges::any_of(members_, [&](const Member& member) { return member.state == &state; });
}

void Fusion::check() {
  for (const Forms& forms : exchanges_.all()) {
    for (const auto& made : forms) {
      if (made) made->check();
    }
  }
}

void Fusion::stop() noexcept {
  for (const Forms& forms : exchanges_.all()) {
    for (const auto& made : forms) {
      if (made) made->stop();
    }
  }
}

}  // namespace halocline::exchange
