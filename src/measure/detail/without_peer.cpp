// SPDX-License-Identifier: BSD-3-Clause
#include "comm/agree.hpp"
#include "measure/detail/kernels.hpp"
#include "measure/detail/stages.hpp"

namespace halocline::machine::measuring {
namespace {

constexpr std::string_view no_peer_method = "copy_no_peer";

void found(Session& session, int from, int to, Traffic traffic, const Times& times) {
  session.found({.from = from,
                 .to = to,
                 .method = std::string(no_peer_method),
                 .traffic = traffic,
                 .bytes = session.request().bytes},
                times);
}

/// Both directions, one way and two ways; by the rank that drives both devices.
void measure_pair(Session& session, int a, int b) {
  device::Backend& backend = session.backend();
  const int at_a = session.slot(a).ordinal;
  const int at_b = session.slot(b).ordinal;
  const bool two_processes = !session.mine(b);
  std::string why;
  if (backend.kind() != DeviceKind::cuda) why = "peer access of host devices is not switched off: one memory";
  if (two_processes) why = "two processes drive the pair: mapped memory is reached with peer access, or not at all";
  if (why.empty() && !backend.peer_access(at_a, at_b).yes) {
    why = "there is no peer access to switch off; see copy: " + backend.peer_access(at_a, at_b).why_not;
  }
  if (!why.empty()) {
    for (int direction = 0; direction < 2; ++direction) session.leave_out(no_peer_method, why);
    return;
  }
  for (const auto traffic : {Traffic::one_way, Traffic::two_way}) {
    const cuda::PeerCopy there{session.native(a), session.native(b), session.source(a, a).data,
                               session.target(b, b).data};
    const cuda::PeerCopy back{there.to, there.from, session.source(b, b).data, session.target(a, a).data};
    const cuda::Result result =
        cuda::copy_without_peer(there, back, session.bytes(), session.request().repeats, traffic == Traffic::two_way);
    if (!result.why_not.empty()) return session.leave_out(no_peer_method, result.why_not);
    found(session, a, b, traffic, result.there);
    found(session, b, a, traffic, result.back);
  }
}

}  // namespace

void measure_without_peer(Session& session) {
  for (int a = 0; a < session.devices(); ++a) {
    for (int b = a + 1; b < session.devices(); ++b) {
      if (!session.time_left({no_peer_method})) continue;
      comm::agree_on(session.node(), [&] {
        if (session.mine(a)) measure_pair(session, a, b);
      });
    }
  }
}

}  // namespace halocline::machine::measuring
