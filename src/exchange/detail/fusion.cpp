// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/fusion.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace halocline::exchange {
namespace {

/// Multiprocessors that fill most of a link (docs/guide/9-numbers.md), and leave a kernel nearly all.
constexpr int beside_compute = 16;

}  // namespace

Fusion::Fusion(Context& context, std::vector<Member> members)
    : context_(&context),
      device_(members.front().site->device()),
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

device::FusedPlan Fusion::plan(const Program& program, Overlap overlap) const {
  device::FusedPlan plan;
  plan.room = room_.get();
  plan.multiprocessors = context_->tuning.multiprocessors;
  if (plan.multiprocessors == 0 && overlap == Overlap::possible) plan.multiprocessors = beside_compute;
  for (const Member& member : members_) {
    const Site& site = *member.site;
    device::Party party;
    party.epoch = site.mailbox.fused_epoch();
    party.expected = parities(site, *context_->geometry, program.selection);
    for (Endpoint* end : member.ends) end->contribute(program, party, plan.local);
    plan.parties.push_back(std::move(party));
  }
  return plan;
}

device::FusedExchange& Fusion::form(const Program& program, Overlap overlap) {
  auto& made = exchanges_.of(program)[overlap == Overlap::none ? 0 : 1];
  if (!made) made = context_->backend->fuse(device_, plan(program, overlap));
  return *made;
}

void Fusion::prepare(const Program& program) {
  exchanges_.make(program, [] { return Forms(); });
  if (scheduled()) static_cast<void>(form(program, Overlap::none));
}

void Fusion::send(const Program& program) {
  stream_->wait(*members_.front().site->open);
  stream_->run(form(program, Overlap::none));
  stream_->record(*done_);
}

void Fusion::start(const Program& program, std::span<device::Stream* const> users, Overlap overlap) {
  carrier_ = overlap == Overlap::none ? users[members_.front().place] : stream_.get();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    device::Stream* user = users[members_[i].place];
    if (user == carrier_) continue;
    user->record(*begun_[i]);
    carrier_->wait(*begun_[i]);
  }
  carrier_->run(form(program, overlap));
  if (members_.size() > 1 || carrier_ == stream_.get()) carrier_->record(*done_);
}

void Fusion::join(std::span<device::Stream* const> users) const {
  for (const Member& member : members_) {
    device::Stream* user = users[member.place];
    if (user != carrier_) user->wait(*done_);
  }
}

bool Fusion::has(const Site& site) const {
  return std::ranges::any_of(members_, [&](const Member& member) { return member.site == &site; });
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
