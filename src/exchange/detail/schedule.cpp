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
    ends_[end.state].push_back(&end);
    joint_ = joint_ || scheduled->joins_sites();
  }
  for (SubdomainState* state : states_) {
    const auto& its_ends = ends_.at(state);
    const auto sends = [](const End* end) { return !end->receives; };
    const auto may_count = [](const End* end) { return end->endpoint->scheduled()->may_count(); };
    state->counted_by_packing = std::ranges::any_of(its_ends, sends) && std::ranges::all_of(its_ends, may_count);
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
      device::HeaderCheck headers{state->mailbox.epoch()};
      for (const End* end : ends_.at(state)) {
        ScheduledEndpoint& scheduled = *end->endpoint->scheduled();
        scheduled.collect_ready(plan, part.ready);
        scheduled.collect_arrived(plan, part.arrived);
        scheduled.collect_headers(plan, headers);
        scheduled.collect_unpack(plan, unpack);
      }
      if (state->fusion != nullptr) state->fusion->prepare_to_send(plan);
      part.parities = parities(*state, *context_->geometry, plan.selection, "an exchange");
      if (headers.headers.empty() && headers.done != nullptr) {
        part.done.push_back({std::exchange(headers.done, nullptr)});
      }
      // Headers are checked also where nothing is unpacked.
      if (!unpack.empty() || !headers.headers.empty())
        part.unpack = context_->backend->prepare_unpacking(state->device(), unpack, headers);
      if (context_->tracer != nullptr) describe(*state, part, plan);
      sequence.parts.push_back(std::move(part));
    }
    return sequence;
  });
}

/// For the tracer. A flag is of the end that collected it.
void Schedule::describe(const SubdomainState& state, Part& part, const ExchangePlan& plan) const {
  const std::string track = fmt::format("subdomain {}: exchange", state.subdomain.id.value());
  device::TracedOperation unpack{device::Work::unpack, state.device(), track};
  for (const End* end : ends_.at(&state)) {
    const std::size_t message = end->channel->number;
    const auto add = [&](device::Work work) { return context_->tracer->add({work, state.device(), track, {message}}); };
    std::vector<device::FlagWait> flags;
    end->endpoint->scheduled()->collect_arrived(plan, flags);
    // Without a flag, the receiver waits for the event of the copy.
    const bool by_event = end->receives && flags.empty();
    part.sent.push_back(add(by_event ? device::Work::wait_arrived : device::Work::wait_sent));
    if (!flags.empty()) part.arrivals.push_back(add(device::Work::wait_arrived));
    if (end->receives) {
      unpack.messages.push_back(message);
      unpack.bytes += payload_of(end->channel->message, plan.selection).bytes;
    }
  }
  part.unpacking = context_->tracer->add(std::move(unpack));
}

void Schedule::begin(const SubdomainState& state, const Part& part) const {
  if (!part.parities.empty()) state.stream->expect(part.parities);
  if (!state.counted_by_packing) state.stream->advance(state.mailbox.epoch(), part.ready);
  state.stream->record(*state.open);
}

void Schedule::send(const SubdomainState& state, const ExchangePlan& plan) const {
  const bool first = state.fusion != nullptr && state.fusion->waits();
  if (first) state.fusion->send(plan);
  for (const End* end : ends_.at(&state)) end->endpoint->scheduled()->send(plan);
  if (state.fusion != nullptr && !first) state.fusion->send(plan);
}

void Schedule::receive(const SubdomainState& state, const Part& part) const {
  if (state.fusion != nullptr) state.stream->wait(state.fusion->sent());
  device::Tracer* tracer = context_->tracer;
  const auto number = [](const std::vector<std::size_t>& of, std::size_t i) { return of.empty() ? 0 : of[i]; };
  const auto& ends = ends_.at(&state);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const device::Event* sent = ends[i]->endpoint->scheduled()->sent();
    if (sent != nullptr) traced(tracer, number(part.sent, i), *state.stream, [&] { state.stream->wait(*sent); });
  }
  if (is_traced(tracer, *state.stream)) {  // one by one
    for (std::size_t i = 0; i < part.arrived.size(); ++i) {
      traced(tracer, part.arrivals[i], *state.stream, [&] {
        state.stream->wait(state.mailbox.epoch(), {&part.arrived[i], 1});
      });
    }
  } else if (!part.arrived.empty()) {
    state.stream->wait(state.mailbox.epoch(), part.arrived);
  }
  if (part.unpack) traced(tracer, part.unpacking, *state.stream, [&] { state.stream->copy(*part.unpack); });
  if (!part.done.empty()) state.stream->signal(state.mailbox.epoch(), part.done);
  state.stream->record(*state.done);
}

void Schedule::enqueue(const ExchangePlan& plan) {
  const auto& parts = sequences_.of(plan).parts;
  for (std::size_t i = 0; i < states_.size(); ++i) begin(*states_[i], parts[i]);
  for (std::size_t i = 0; i < states_.size(); ++i) send(*states_[i], plan);
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
  const bool tracing = context_->tracer != nullptr && context_->tracer->on();
  replayed_ = !capturing && !tracing && context_->backend->prefers_graphs();
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
