// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/schedule.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "exchange/detail/fusion.hpp"

namespace halocline::exchange {

Schedule::Schedule(Context& context, std::vector<Site*> sites, std::vector<End>& ends)
    : context_(&context),
      sites_(std::move(sites)),
      ends_(&ends),
      joint_(std::any_of(ends.begin(), ends.end(), [](const End& end) { return end.endpoint->joins_sites(); })) {
  for (Site* site : sites_) {
    site->stream = context.backend->create_stream(site->device(), device::Priority::high,
                                                  fmt::format("subdomain {}: exchange", site->subdomain.id.value()));
    for (auto* event : {&site->open, &site->done, &site->replayed})
      *event = context.backend->create_event(site->device());
  }
  if (joint_) fork_ = context.backend->create_event(sites_.front()->device());
}

void Schedule::prepare(const Program& program) {
  sequences_.make(program, [&] {
    Sequence sequence;
    for (const Site* site : sites_) {
      Part part;
      std::vector<device::StridedCopy> unpack;
      for (const End& end : *ends_) {
        if (end.site != site) continue;
        end.endpoint->collect_ready(program, part.ready);
        end.endpoint->collect_arrived(program, part.arrived);
        end.endpoint->collect_unpack(program, unpack);
      }
      part.parities = parities(*site, *context_->geometry, program.selection);
      if (!unpack.empty()) part.unpack = context_->backend->prepare(site->device(), unpack);
      sequence.parts.push_back(std::move(part));
    }
    return sequence;
  });
}

void Schedule::begin(const Site& site, const Part& part) const {
  if (!part.parities.empty()) site.stream->expect(part.parities);
  site.stream->advance(site.mailbox.epoch(), part.ready);
  site.stream->record(*site.open);
}

void Schedule::send(const Site& site, const Program& program) const {
  for (const End& end : *ends_) {
    if (end.site == &site) end.endpoint->send(program);
  }
  if (site.fusion != nullptr) site.fusion->send(program);
}

void Schedule::receive(const Site& site, const Part& part) const {
  if (site.fusion != nullptr) site.stream->wait(site.fusion->sent());
  for (const End& end : *ends_) {
    const device::Event* sent = end.site == &site ? end.endpoint->sent() : nullptr;
    if (sent != nullptr) site.stream->wait(*sent);
  }
  if (!part.arrived.empty()) site.stream->wait(site.mailbox.epoch(), part.arrived);
  if (part.unpack) site.stream->copy(*part.unpack);
  site.stream->record(*site.done);
}

void Schedule::enqueue(const Program& program) {
  const auto& parts = sequences_.of(program).parts;
  for (std::size_t i = 0; i < sites_.size(); ++i) begin(*sites_[i], parts[i]);
  for (const Site* site : sites_) send(*site, program);
  for (std::size_t i = 0; i < sites_.size(); ++i) receive(*sites_[i], parts[i]);
}

/// The first site's stream is the origin: the others fork from it, and join it.
std::unique_ptr<device::Graph> Schedule::capture_all(const Program& program) {
  device::Stream& origin = *sites_.front()->stream;
  origin.begin_capture();
  origin.record(*fork_);
  for (std::size_t i = 1; i < sites_.size(); ++i) sites_[i]->stream->wait(*fork_);
  enqueue(program);
  for (std::size_t i = 1; i < sites_.size(); ++i) origin.wait(*sites_[i]->done);
  return origin.end_capture();
}

std::unique_ptr<device::Graph> Schedule::capture_one(const Site& site, const Part& part, const Program& program) {
  site.stream->begin_capture();
  begin(site, part);
  send(site, program);
  receive(site, part);
  return site.stream->end_capture();
}

void Schedule::capture(const Program& program) {
  Sequence& sequence = sequences_.of(program);
  if (joint_) {
    sequence.graphs.push_back(capture_all(program));
    return;
  }
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    sequence.graphs.push_back(capture_one(*sites_[i], sequence.parts[i], program));
  }
}

void Schedule::start(const Program& program, bool capturing) {
  if (sites_.empty()) return;
  replayed_ = !capturing && context_->backend->prefers_graphs();
  if (!replayed_) {
    for (const Site* site : sites_) site->stream->wait(*site->begun);
    enqueue(program);
    return;
  }
  Sequence& sequence = sequences_.of(program);
  if (sequence.graphs.empty()) capture(program);
  if (joint_) {
    const Site& first = *sites_.front();
    for (const Site* site : sites_) first.stream->wait(*site->begun);
    first.stream->launch(*sequence.graphs.front());
    first.stream->record(*first.replayed);
    return;
  }
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const Site& site = *sites_[i];
    site.stream->wait(*site.begun);
    site.stream->launch(*sequence.graphs[i]);
    site.stream->record(*site.replayed);
  }
}

void Schedule::join(const Site& site, device::Stream& user) const {
  if (!replayed_) return user.wait(*site.done);
  user.wait(joint_ ? *sites_.front()->replayed : *site.replayed);
}

void Schedule::each_stream(const VisitStream& visit) const {
  for (Site* site : sites_) visit(site->stream);
}

}  // namespace halocline::exchange
