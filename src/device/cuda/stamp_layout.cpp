// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/stamp_layout.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "device/tracer.hpp"

namespace halocline::device::cuda {
namespace {

std::int64_t bytes_of(const std::vector<StridedCopy>& copies) {
  std::int64_t bytes = 0;
  for (const StridedCopy& copy : copies) bytes += copy.bytes();
  return bytes;
}

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// The times of a part, over all its blocks.
struct Times {
  std::uint64_t begin = never;
  std::uint64_t waited = never;
  std::uint64_t end = 0;

  void add(const ShareStamps& share) {
    begin = std::min(begin, share.begin);
    waited = std::min(waited, share.waited);
    end = std::max(end, share.end);
  }
};

}  // namespace

StampLayout::StampLayout(int device, const FusedPlan& plan, const std::vector<Work>& work) {
  Tracer& tracer = *plan.tracer;
  const auto add_send = [&](const TracedPart& traced, const std::vector<StridedCopy>& copies) {
    const auto& [message, part, track] = traced;
    sends_.push_back({tracer.add({device::Work::wait_ready, device, track, {message}, part}),
                      tracer.add({device::Work::put, device, track, {message}, part, bytes_of(copies)}),
                      tracer.add({device::Work::post_arrived, device, track, {message}, part})});
  };
  const auto add_receive = [&](const TracedPart& traced, const std::vector<StridedCopy>& copies) {
    const auto& [message, part, track] = traced;
    receives_.push_back({tracer.add({device::Work::wait_arrived, device, track, {message}, part}),
                         tracer.add({device::Work::unpack, device, track, {message}, part, bytes_of(copies)}), 0});
  };
  TracedOperation posting{device::Work::post_ready, device, plan.track};
  for (const Participant& participant : plan.participants) {
    for (const OutgoingPart& out : participant.outgoing) add_send(out.trace, out.copies);
    for (const Put& put : participant.puts) add_send(put.trace, put.copies);
    for (const IncomingPart& in : participant.incoming) {
      if (in.ready.flag != nullptr) posting.messages.push_back(in.trace.message);
      add_receive(in.trace, in.copies);
    }
    for (const Landing& landing : participant.landings) {
      posting.messages.push_back(landing.trace.message);
      add_receive(landing.trace, landing.copies);
    }
  }
  posting_ = tracer.add(std::move(posting));
  copying_ =
      tracer.add({device::Work::copy, device, plan.track + ": within", plan.local_messages, 0, bytes_of(plan.local)});
  for (const Work& entry : work) shares_.push_back({entry.share.role, entry.share.part});
}

StampRoom StampLayout::room(std::uint64_t* stamps) const {
  std::uint64_t* const arrivals = stamps + 2;
  return {stamps, arrivals, reinterpret_cast<ShareStamps*>(arrivals + receives_.size())};
}

std::vector<StampedOperation> StampLayout::operations(const std::uint64_t* stamps) const {
  const StampRoom at = room(const_cast<std::uint64_t*>(stamps));
  std::vector<StampedOperation> made;
  const auto add = [&made](std::size_t operation, std::uint64_t begin, std::uint64_t end) {
    if (begin != 0 && end >= begin && end != never) made.push_back({operation, begin, end});
  };
  const std::uint64_t begun = at.coordinator[0];
  add(posting_, begun, at.coordinator[1]);

  Times local;
  std::vector<Times> sends(sends_.size());
  std::vector<Times> receives(receives_.size());
  for (std::size_t s = 0; s < shares_.size(); ++s) {
    switch (const auto [role, part] = shares_[s]; role) {
      case Role::send:
      case Role::put: sends[part].add(at.shares[s]); break;
      case Role::receive:
      case Role::take: receives[part].add(at.shares[s]); break;
      case Role::local: local.add(at.shares[s]); break;
    }
  }
  add(copying_, local.begin, local.end);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    add(sends_[i].waiting, sends[i].begin, sends[i].waited);
    add(sends_[i].moving, sends[i].waited, sends[i].end);
    add(sends_[i].posting, sends[i].end, sends[i].end);
  }
  for (std::size_t i = 0; i < receives.size(); ++i) {
    // Another block may have seen the arrival before the coordinator did.
    std::uint64_t arrived = receives[i].waited;
    if (at.arrivals[i] != 0) arrived = std::min(arrived, at.arrivals[i]);
    add(receives_[i].waiting, begun, arrived);
    add(receives_[i].moving, receives[i].waited, receives[i].end);
  }
  return made;
}

}  // namespace halocline::device::cuda
