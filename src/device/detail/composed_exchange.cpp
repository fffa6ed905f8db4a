// SPDX-License-Identifier: BSD-3-Clause
#include "device/detail/composed_exchange.hpp"

#include <fmt/format.h>

#include <exception>

#include "device/detail/flag_checks.hpp"
#include "halocline/error.hpp"

namespace halocline::device {

ComposedExchange::ComposedExchange(Backend& backend, int device, const FusedPlan& plan)
    : device_(device), local_(backend.prepare(device, plan.local)), begun_(backend.create_event(device)) {
  check_fused_plan(plan);
  std::vector<StridedCopy> landed;
  for (const Participant& participant : plan.participants) {
    Member member{participant.epoch, participant.expected, {}, {}};
    for (const IncomingPart& in : participant.incoming) {
      if (in.ready.flag != nullptr) member.ready.push_back(in.ready);
      member.arrived.push_back(in.arrived);
      landed.insert(landed.end(), in.copies.begin(), in.copies.end());
    }
    members_.push_back(std::move(member));
    for (const OutgoingPart& out : participant.outgoing) {
      lanes_.push_back({participant.epoch, out.ready, backend.prepare(device, out.copies), out.arrived,
                        backend.create_stream(device, Priority::high, out.ready.guard->label),
                        backend.create_event(device)});
    }
  }
  landed_ = backend.prepare(device, landed);
}

void ComposedExchange::enqueue(Stream& in) {
  if (in.device() != device_) {
    throw InvalidArgument(fmt::format("the fused exchange was prepared for device {}; allowed is the stream's, {}",
                                      device_, in.device()));
  }
  in.record(*begun_);  // refuses a stream of another backend before anything is enqueued
  for (const Member& member : members_) {
    if (!member.expected.empty()) in.expect(member.expected);
  }
  for (const Member& member : members_) in.advance(member.epoch, member.ready);
  in.record(*begun_);
  std::exception_ptr failure;
  for (const Lane& lane : lanes_) {
    try {
      lane.stream->wait(*begun_);
      lane.stream->wait(lane.epoch, {&lane.ready, 1});
      lane.stream->copy(*lane.copies);
      lane.stream->signal(lane.epoch, {&lane.arrived, 1});
      lane.stream->record(*lane.sent);
    } catch (const Error&) {
      if (in.capturing()) throw;
      failure = std::current_exception();  // it has failed already, without a mark that `in` could wait for
    }
  }
  if (failure != nullptr) in.host_function([failure] { std::rethrow_exception(failure); });
  if (local_->bytes() > 0) in.copy(*local_);
  for (const Lane& lane : lanes_) in.wait(*lane.sent);
  for (const Member& member : members_) {
    if (!member.arrived.empty()) in.wait(member.epoch, member.arrived);
  }
  if (landed_->bytes() > 0) in.copy(*landed_);
}

void ComposedExchange::check() {
  for (const Lane& lane : lanes_) lane.stream->raise_failure();
}

void ComposedExchange::stop() noexcept { lanes_.clear(); }

}  // namespace halocline::device
