// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/schedule.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "exchange/detail/fusion.hpp"

namespace halocline::exchange {

Schedule::Schedule(Context& context, std::vector<SubdomainState*> states, const std::vector<End>& ends)
    : context_(&context), states_(std::move(states)) {
  for (const End& end : ends) {
    ScheduledEndpoint* scheduled = end.endpoint->scheduled();
    if (scheduled == nullptr) continue;
    ends_[end.state].push_back(scheduled);
    joint_ = joint_ || scheduled->joins_sites();
  }
  for (SubdomainState* state : states_) {
    state->stream = context.backend->create_stream(state->device(), device::Priority::high,
                                                   fmt::format("subdomain {}: exchange", state->subdomain.id.value()));
    for (auto* event : {&state->open, &state->done, &state->replayed})
      *event = context.backend->create_event(state->device());
  }
  if (joint_) fork_ = context.backend->create_event(states_.front()->device());
}

void Schedule::prepare(const ExchangePlan& plan) {
  sequences_.make(plan, [&] {
    Sequence sequence;
    for (const SubdomainState* state : states_) {
      Part part;
      std::vector<device::StridedCopy> unpack;
      for (ScheduledEndpoint* end : ends_.at(state)) {
        end->collect_ready(plan, part.ready);
        end->collect_arrived(plan, part.arrived);
        end->collect_unpack(plan, unpack);
      }
      part.parities = parities(*state, *context_->geometry, plan.selection);
      if (!unpack.empty()) part.unpack = context_->backend->prepare(state->device(), unpack);
      sequence.parts.push_back(std::move(part));
    }
    return sequence;
  });
}

void Schedule::begin(const SubdomainState& state, const Part& part) const {
  if (!part.parities.empty()) state.stream->expect(part.parities);
  state.stream->advance(state.mailbox.epoch(), part.ready);
  state.stream->record(*state.open);
}

void Schedule::send(const SubdomainState& state, const ExchangePlan& plan) const {
  for (ScheduledEndpoint* end : ends_.at(&state)) end->send(plan);
  if (state.fusion != nullptr) state.fusion->send(plan);
}

void Schedule::receive(const SubdomainState& state, const Part& part) const {
  if (state.fusion != nullptr) state.stream->wait(state.fusion->sent());
  for (const ScheduledEndpoint* end : ends_.at(&state)) {
    if (end->sent() != nullptr) state.stream->wait(*end->sent());
  }
  if (!part.arrived.empty()) state.stream->wait(state.mailbox.epoch(), part.arrived);
  if (part.unpack) state.stream->copy(*part.unpack);
  state.stream->record(*state.done);
}

void Schedule::enqueue(const ExchangePlan& plan) {
  const auto& parts = sequences_.of(plan).parts;
  for (std::size_t i = 0; i < states_.size(); ++i) begin(*states_[i], parts[i]);
  for (const SubdomainState* state : states_) send(*state, plan);
  for (std::size_t i = 0; i < states_.size(); ++i) receive(*states_[i], parts[i]);
}

/// The first state's stream is the origin: the others fork from it, and join it.
std::unique_ptr<device::Graph> Schedule::capture_all(const ExchangePlan& plan) {
  device::Stream& origin = *states_.front()->stream;
  origin.begin_capture();
  origin.record(*fork_);
  for (std::size_t i = 1; i < states_.size(); ++i) states_[i]->stream->wait(*fork_);
  enqueue(plan);
  for (std::size_t i = 1; i < states_.size(); ++i) origin.wait(*states_[i]->done);
  return origin.end_capture();
}

std::unique_ptr<device::Graph> Schedule::capture_one(const SubdomainState& state, const Part& part,
                                                     const ExchangePlan& plan) {
  state.stream->begin_capture();
  begin(state, part);
  send(state, plan);
  receive(state, part);
  return state.stream->end_capture();
}

void Schedule::capture(const ExchangePlan& plan) {
  Sequence& sequence = sequences_.of(plan);
  if (joint_) {
    sequence.graphs.push_back(capture_all(plan));
    return;
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    sequence.graphs.push_back(capture_one(*states_[i], sequence.parts[i], plan));
  }
}

void Schedule::start(const ExchangePlan& plan, bool capturing) {
  if (states_.empty()) return;
  replayed_ = !capturing && context_->backend->prefers_graphs();
  if (!replayed_) {
    for (const SubdomainState* state : states_) state->stream->wait(*state->begun);
    enqueue(plan);
    return;
  }
  Sequence& sequence = sequences_.of(plan);
  if (sequence.graphs.empty()) capture(plan);
  if (joint_) {
    const SubdomainState& first = *states_.front();
    for (const SubdomainState* state : states_) first.stream->wait(*state->begun);
    first.stream->launch(*sequence.graphs.front());
    first.stream->record(*first.replayed);
    return;
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const SubdomainState& state = *states_[i];
    state.stream->wait(*state.begun);
    state.stream->launch(*sequence.graphs[i]);
    state.stream->record(*state.replayed);
  }
}

void Schedule::join(const SubdomainState& state, device::Stream& user) const {
  if (!replayed_) return user.wait(*state.done);
  user.wait(joint_ ? *states_.front()->replayed : *state.replayed);
}

void Schedule::each_stream(const VisitStream& visit) const {
  for (SubdomainState* state : states_) visit(state->stream);
}

}  // namespace halocline::exchange
