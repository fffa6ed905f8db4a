// SPDX-License-Identifier: BSD-3-Clause
#include "device/detail/composed_exchange.hpp"

#include <fmt/format.h>

#include <exception>

#include "device/detail/flag_checks.hpp"
#include "device/tracer.hpp"
#include "halocline/error.hpp"

namespace halocline::device {

ComposedExchange::ComposedExchange(Backend& backend, int device, const FusedPlan& plan)
    : device_(device),
      local_(backend.prepare(device, plan.local)),
      begun_(backend.create_event(device)),
      tracer_(plan.tracer) {
  check_fused_plan(plan);
  std::vector<StridedCopy> landed;
  for (const Participant& participant : plan.participants) {
    Member member{participant.epoch, participant.expected, {}, {}, 0, {}};
    for (const IncomingPart& in : participant.incoming) {
      if (in.ready.flag != nullptr) member.ready.push_back(in.ready);
      member.arrived.push_back(in.arrived);
      landed.insert(landed.end(), in.copies.begin(), in.copies.end());
    }
    for (const Landing& landing : participant.landings) {
      member.ready.push_back(landing.ready);
      member.arrived.push_back(landing.arrived);
      landings_.push_back({participant.epoch, in_turn(backend, landing), 0});
    }
    members_.push_back(std::move(member));
    const auto add_lane = [&](const FlagWait& ready, Copies copies, const FlagSignal& posted, bool ahead) {
      lanes_.push_back({participant.epoch, ready, std::move(copies), posted,
                        backend.create_stream(device, Priority::high, ready.guard->label), backend.create_event(device),
                        ahead});
    };
    for (const OutgoingPart& out : participant.outgoing) {
      add_lane(out.ready, {{backend.prepare(device, out.copies), nullptr}}, out.arrived, false);
    }
    for (const Put& put : participant.puts) add_lane(put.ready, in_turn(backend, put), put.posted, true);
  }
  landed_ = backend.prepare(device, landed);
  if (tracer_ != nullptr) describe(backend, plan);
}

std::int64_t ComposedExchange::bytes() const {
  std::int64_t sum = local_->bytes() + landed_->bytes();
  for (const Lane& lane : lanes_) sum += lane.copies.lists[0]->bytes();
  for (const Unpacked& landing : landings_) sum += landing.copies.lists[0]->bytes();
  return sum;
}

ComposedExchange::Copies ComposedExchange::in_turn(Backend& backend, const Put& put) const {
  std::vector<StridedCopy> odd = put.copies;
  for (StridedCopy& copy : odd) copy.target += put.to_odd;
  return {{backend.prepare(device_, put.copies), backend.prepare(device_, odd)}};
}

ComposedExchange::Copies ComposedExchange::in_turn(Backend& backend, const Landing& landing) const {
  std::vector<StridedCopy> odd = landing.copies;
  for (StridedCopy& copy : odd) copy.source += landing.to_odd;
  return {{backend.prepare(device_, landing.copies), backend.prepare(device_, odd)}};
}

void ComposedExchange::Copies::enqueue(const std::uint64_t* epoch, Stream& in) const {
  if (lists[1] == nullptr) return in.copy(*lists[0]);
  in.copy_in_turn(epoch, {lists[0].get(), lists[1].get()});
}

void ComposedExchange::describe(Backend& backend, const FusedPlan& plan) {
  auto lane = lanes_.begin();
  auto member = members_.begin();
  auto landed = landings_.begin();
  const auto describe_lane = [&](const TracedPart& traced_part) {
    const auto& [message, part, track] = traced_part;
    lane->waiting = tracer_->add({Work::wait_ready, device_, track, {message}, part});
    lane->putting = tracer_->add({Work::put, device_, track, {message}, part, lane->copies.lists[0]->bytes()});
    lane->posting = tracer_->add({Work::post_arrived, device_, track, {message}, part});
    ++lane;
  };
  const auto unpacking = [&](const TracedPart& part, std::int64_t bytes) {
    return tracer_->add({Work::unpack, device_, plan.track, {part.message}, part.part, bytes});
  };
  for (const Participant& participant : plan.participants) {
    for (const OutgoingPart& out : participant.outgoing) describe_lane(out.trace);
    for (const Put& put : participant.puts) describe_lane(put.trace);
    TracedOperation posting{Work::post_ready, device_, plan.track};
    for (const IncomingPart& in : participant.incoming) {
      if (in.ready.flag != nullptr) posting.messages.push_back(in.trace.message);
      member->arrivals.push_back(
          tracer_->add({Work::wait_arrived, device_, plan.track, {in.trace.message}, in.trace.part}));
      if (in.copies.empty()) continue;
      auto copies = backend.prepare(device_, in.copies);
      const std::size_t operation = unpacking(in.trace, copies->bytes());
      unpacked_.push_back({participant.epoch, {{std::move(copies), nullptr}}, operation});
    }
    for (const Landing& landing : participant.landings) {
      posting.messages.push_back(landing.trace.message);
      member->arrivals.push_back(
          tracer_->add({Work::wait_arrived, device_, plan.track, {landing.trace.message}, landing.trace.part}));
      landed->unpacking = unpacking(landing.trace, landed->copies.lists[0]->bytes());
      ++landed;
    }
    member->posting = tracer_->add(std::move(posting));
    ++member;
  }
  copying_ = tracer_->add({Work::copy, device_, plan.track, plan.local_messages, 0, local_->bytes()});
}

void ComposedExchange::post_ready(const Member& member, Stream& in) const {
  const auto post = [&] { in.advance(member.epoch, member.ready); };
  if (member.ready.empty()) return post();
  traced(tracer_, member.posting, in, post);
}

/// One by one if they are traced, which changes nothing but their number.
void ComposedExchange::wait_for_arrivals(Stream& in) const {
  const bool each = is_traced(tracer_, in);
  for (const Member& member : members_) {
    if (!each && !member.arrived.empty()) in.wait(member.epoch, member.arrived);
    for (std::size_t i = 0; each && i < member.arrived.size(); ++i) {
      traced(tracer_, member.arrivals[i], in, [&] { in.wait(member.epoch, {&member.arrived[i], 1}); });
    }
  }
}

/// Likewise part by part.
void ComposedExchange::unpack(Stream& in) const {
  const auto unpack_parts = [&](const std::vector<Unpacked>& parts) {
    for (const Unpacked& part : parts) {
      traced(tracer_, part.unpacking, in, [&] { part.copies.enqueue(part.epoch, in); });
    }
  };
  unpack_parts(landings_);
  if (landed_->bytes() == 0) return;
  if (!is_traced(tracer_, in)) return in.copy(*landed_);
  unpack_parts(unpacked_);
}

void ComposedExchange::send(const Lane& lane, Stream& in) const {
  const auto wait = [&] { traced(tracer_, lane.waiting, in, [&] { in.wait(lane.epoch, {&lane.ready, 1}); }); };
  if (!lane.ahead) wait();
  traced(tracer_, lane.putting, in, [&] { lane.copies.enqueue(lane.epoch, in); });
  traced(tracer_, lane.posting, in, [&] { in.signal(lane.epoch, {&lane.posted, 1}); });
  if (lane.ahead) wait();
}

void ComposedExchange::begin(Stream& in) const {
  for (const Member& member : members_) {
    if (!member.expected.empty()) in.expect(member.expected);
  }
  for (const Member& member : members_) post_ready(member, in);
}

void ComposedExchange::enqueue_part(std::size_t part, Stream& in) const {
  if (part < lanes_.size()) return send(lanes_[part], in);
  traced(tracer_, copying_, in, [&] { in.copy(*local_); });
}

void ComposedExchange::end(Stream& in) const {
  wait_for_arrivals(in);
  unpack(in);
}

void ComposedExchange::check_device(const Stream& in) const {
  if (in.device() != device_) {
    throw InvalidArgument(fmt::format("the fused exchange was prepared for device {}; allowed is the stream's, {}",
                                      device_, in.device()));
  }
}

void ComposedExchange::enqueue(Stream& in) {
  begin(in);
  in.record(*begun_);
  std::exception_ptr failure;
  for (const Lane& lane : lanes_) {
    try {
      lane.stream->wait(*begun_);
      send(lane, *lane.stream);
      lane.stream->record(*lane.sent);
    } catch (const Error&) {
      if (in.capturing()) throw;
      failure = std::current_exception();  // it has failed already, without a mark that `in` could wait for
    }
  }
  if (failure != nullptr) in.host_function([failure] { std::rethrow_exception(failure); });
  if (parts() > lanes_.size()) enqueue_part(lanes_.size(), in);
  for (const Lane& lane : lanes_) in.wait(*lane.sent);
  end(in);
}

void ComposedExchange::check() {
  for (const Lane& lane : lanes_) lane.stream->raise_failure();
}

void ComposedExchange::stop() noexcept { lanes_.clear(); }

}  // namespace halocline::device
