// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "comm/agree.hpp"
#include "measure/detail/kernels.hpp"
#include "measure/detail/stages.hpp"

namespace halocline::machine::measuring {
namespace {

constexpr std::string_view name_of(cuda::Managed how) {
  return how == cuda::Managed::demand ? "managed_demand" : "managed_prefetch";
}

/// Both directions, by the rank that drives both devices.
void measure_managed(Session& session, int a, int b, cuda::Managed how) {
  std::string why;
  if (session.backend().kind() != DeviceKind::cuda) why = "all memory of the host backend is of one kind";
  if (!session.mine(b)) why = "two processes drive the pair: managed memory belongs to one";
  if (how == cuda::Managed::demand && !session.kernels_can()) why = "kernels move words of 8 bytes";
  const std::size_t bytes = std::min(session.bytes(), cuda::most_managed_bytes);
  cuda::Result result;
  if (why.empty()) {
    result = cuda::managed_between(session.native(a), session.target(a, a).data, session.native(b),
                                   session.target(b, b).data, bytes, session.request().repeats, how);
    why = result.why_not;
  }
  for (const bool there : {true, false}) {
    if (!why.empty()) {
      session.leave_out(name_of(how), why);
      continue;
    }
    session.found({.from = there ? a : b,
                   .to = there ? b : a,
                   .method = std::string(name_of(how)),
                   .bytes = static_cast<std::int64_t>(bytes)},
                  there ? result.there : result.back);
  }
}

}  // namespace

void measure_managed_pairs(Session& session) {
  for (int a = 0; a < session.devices(); ++a) {
    for (int b = a + 1; b < session.devices(); ++b) {
      for (const auto how : {cuda::Managed::demand, cuda::Managed::prefetch}) {
        if (!session.time_left({name_of(how)})) continue;
        comm::agree_on(session.node(), [&] {
          if (session.mine(a)) measure_managed(session, a, b, how);
        });
      }
    }
  }
}

}  // namespace halocline::machine::measuring
