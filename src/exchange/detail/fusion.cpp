// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/fusion.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace halocline::exchange {
namespace {

/// A number of multiprocessors that fills most of a link (docs/guide/9-numbers.md), and leaves nearly all others to a
/// kernel.
constexpr int concurrent_multiprocessors = 16;

/// NCCL's kernel has up to 32 blocks between two devices of an NVLink domain, each of which needs nearly all registers of a
/// multiprocessor. The blocks of an exchange that copies meanwhile are spread over the device: these are few enough to leave as many
/// multiprocessors empty. Copies that take longer than NCCL get more blocks. Measured on two H200 (docs/decisions/0087).
int multiprocessors_beside_nccl(const std::vector<device::StridedCopy>& copies) {
  constexpr std::int64_t many_bytes = std::int64_t{20} << 20;
  std::int64_t bytes = 0;
  for (const device::StridedCopy& copy : copies) bytes += copy.bytes();
  return bytes < many_bytes ? 32 : 48;
}

/// For the tracer: the parts that an end has contributed, in the order that both ends have them in.
template <typename Part>
void number_parts(std::span<Part> parts, const Channel& channel, const char* verb) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string suffix = parts.size() > 1 ? fmt::format(", part {}", i) : "";
    parts[i].trace = {channel.number, static_cast<int>(i), channel.track(verb) + suffix};
  }
}

}  // namespace

Fusion::Fusion(Context& context, std::vector<Member> members)
    : context_(&context),
      device_(members.front().state->device()),
      members_(std::move(members)),
      stream_(context.backend->create_stream(device_, device::Priority::high,
                                             fmt::format("device {}: fused exchange", device_))),
      done_(context.backend->create_event(device_)) {
  const Tuning& tuning = context.tuning;
  if (waits() && tuning.domains_at_once > 1) {
    std::shared_ptr<device::Room>& room = context.rooms[device_];
    if (!room) room = context.backend->reserve_room(device_, tuning.domains_at_once, tuning.multiprocessors);
    room_ = room;
  }
  for (std::size_t i = 0; i < members_.size(); ++i) begun_.push_back(context.backend->create_event(device_));
}

bool Fusion::is_beside_nccl() const {
  const auto& beside = context_->nccl_messages;
  return !waits() && std::ranges::any_of(
                         members_, [&](const Member& member) { return beside.contains(member.state->subdomain.id); });
}

device::FusedPlan Fusion::fused_plan(const ExchangePlan& plan, Overlap overlap) const {
  device::FusedPlan fused;
  fused.room = room_.get();
  // With a second domain, whose exchange this one's peers may have begun first, a kernel that fills the device could stand in its way.
  fused.next_may_start = !waits() || context_->tuning.domains_at_once == 1;
  fused.multiprocessors = context_->tuning.multiprocessors;
  if (fused.multiprocessors == 0 && overlap != Overlap::none) fused.multiprocessors = concurrent_multiprocessors;
  for (const Member& member : members_) {
    const SubdomainState& state = *member.state;
    device::Participant participant;
    participant.epoch = state.mailbox.fused_epoch();
    participant.expected = parities(state, *context_->geometry, plan.selection, "an exchange");
    for (const auto& [end, channel] : member.ends) {
      const auto [sends, receives, copies] =
          std::tuple(participant.outgoing.size(), participant.incoming.size(), fused.local.size());
      const auto [puts, landings] = std::pair(participant.puts.size(), participant.landings.size());
      end->contribute(plan, participant, fused.local);
      if (context_->tracer == nullptr) continue;
      number_parts(std::span(participant.outgoing).subspan(sends), *channel, "send");
      number_parts(std::span(participant.incoming).subspan(receives), *channel, "receive");
      number_parts(std::span(participant.puts).subspan(puts), *channel, "send");
      number_parts(std::span(participant.landings).subspan(landings), *channel, "receive");
      if (fused.local.size() > copies) fused.local_messages.push_back(channel->number);
    }
    fused.participants.push_back(std::move(participant));
  }
  if (fused.multiprocessors == 0 && is_beside_nccl()) {
    fused.multiprocessors = multiprocessors_beside_nccl(fused.local);
  }
  return fused;
}

/// In its own stream, or in a user's.
std::string Fusion::track(Overlap overlap) const {
  if (overlap == Overlap::possible || scheduled()) return "fused exchange";
  return fmt::format("subdomain {}: user's stream", members_.front().state->subdomain.id.value());
}

Fusion::Form& Fusion::form(const ExchangePlan& plan, Overlap overlap) {
  Form& form = exchanges_.of(plan)[static_cast<std::size_t>(overlap)];
  if (form.made) return form;
  device::FusedPlan fused = fused_plan(plan, overlap);
  if (context_->tracer != nullptr) {
    fused.tracer = context_->tracer;
    fused.track = track(overlap);
    device::TracedOperation whole{device::Work::exchange, device_, fused.track};
    for (const Member& member : members_) {
      for (const auto& [end, channel] : member.ends) whole.messages.push_back(channel->number);
    }
    form.operation = context_->tracer->add(std::move(whole));
  }
  form.made = context_->backend->fuse(device_, fused);
  return form;
}

void Fusion::run(const ExchangePlan& plan, Overlap overlap, device::Stream& in) {
  Form& formed = form(plan, overlap);
  const bool records = is_traced(context_->tracer, in);
  traced(context_->tracer, formed.operation, in,
         [&] { in.run(*formed.made, records ? formed.made->stamps() : nullptr); });
}

void Fusion::prepare(const ExchangePlan& plan) {
  exchanges_.make(plan, [] { return Forms(); });
}

void Fusion::prepare_to_send(const ExchangePlan& plan) { static_cast<void>(form(plan, Overlap::none)); }

void Fusion::send(const ExchangePlan& plan) {
  stream_->wait(*members_.front().state->open);
  run(plan, Overlap::none, *stream_);
  stream_->record(*done_);
}

void Fusion::start(const ExchangePlan& plan, std::span<device::Stream* const> users, Overlap overlap) {
  carrier_ = in_order(overlap) ? users[members_.front().place] : stream_.get();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    device::Stream* user = users[members_[i].place];
    if (user == carrier_) continue;
    user->record(*begun_[i]);
    carrier_->wait(*begun_[i]);
  }
  run(plan, overlap, *carrier_);
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
    for (const Form& form : forms) {
      if (form.made) form.made->check();
    }
  }
}

void Fusion::stop() noexcept {
  for (const Forms& forms : exchanges_.all()) {
    for (const Form& form : forms) {
      if (form.made) form.made->stop();
    }
  }
}

}  // namespace halocline::exchange
