// SPDX-License-Identifier: BSD-3-Clause
// Ranks of one node that may not map each other's memory, as with unreadable programs or in hardened containers: halos
// go by MPI, and are right.
#include <fmt/core.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "comm/gather.hpp"
#include "core/anonymous_file.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "plan/plan.hpp"

using namespace halocline;

namespace {

/// Makes this process undumpable: only processes that may trace it can open its memory.
void close_memory() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (::syscall(SYS_capget, &header, data) == 0) {
    for (auto& part : data) part.effective = 0;
    ::syscall(SYS_capset, &header, data);
  }
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// Whether a rank can map the next one's memory; all ranks get the answer.
bool is_open(comm::RankGroup& world) {
  const AnonymousFile mine(64);
  const auto handles = comm::gather_value(world, mine.handle());
  std::int64_t opened = 1;
  try {
    (void)AnonymousFile::open(handles[(world.rank().index() + 1) % handles.size()]);
  } catch (const CapabilityError&) {
    opened = 0;
  }
  return world.all_reduce(opened, comm::Reduction::max) != 0;
}

int run(comm::Session& session) {
  auto world = session.world();
  close_memory();
  if (is_open(world)) {
    if (world.rank() == rank_id(0))
      fmt::print("closed_memory: skipped: this system lets ranks look into each other whatever they say\n");
    return 77;
  }
  const Vec3 extent{8, 8, 16};
  DomainOptions options;
  options.devices.kind = halocline::DeviceKind::host;
  Domain domain(extent, Stencil::box(1), world, options);
  const auto u = domain.add_field<double>("u");
  domain.realize();
  const auto value = [&](const Vec3& p) {
    const Vec3 q{(p.x + extent.x) % extent.x, (p.y + extent.y) % extent.y, (p.z + extent.z) % extent.z};
    return static_cast<double>((q.z * extent.y + q.y) * extent.x + q.x);
  };
  std::int64_t wrong = 0;
  std::int64_t looked_at = 0;
  for (const auto& s : domain.subdomains()) {
    const auto view = s.view(u);
    for_each_cell(view.with_halo(), [&](const Vec3& p) { view(p) = view.owned().contains(p) ? value(p) : -1; });
  }
  domain.exchange();
  domain.synchronize();
  for (const auto& s : domain.subdomains()) {
    const auto view = s.view(u);
    for_each_cell(view.with_halo(), [&](const Vec3& p) {
      if (view.owned().contains(p)) return;
      ++looked_at;
      if (view(p) != value(p)) ++wrong;
    });
  }
  const auto routes = internals(domain).gather_routes();
  const bool by_mpi = std::all_of(routes.begin(), routes.end(), [](const RoutedMessage& routed) {
    const auto transport = routed.route.transport;
    return transport == routing::Transport::self || transport == routing::Transport::mpi_device ||
           transport == routing::Transport::mpi_staged;
  });
  domain.close();
  wrong = world.all_reduce(wrong, comm::Reduction::sum);
  looked_at = world.all_reduce(looked_at, comm::Reduction::sum);
  if (world.rank() == rank_id(0)) {
    fmt::print("{} halo cells, {} wrong, {}\n", looked_at, wrong, by_mpi ? "all by MPI" : "not all by MPI");
  }
  return wrong == 0 && by_mpi ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  comm::Session session(&argc, &argv, Environment::read());
  try {
    return run(session);
  } catch (const Error& error) {
    fmt::print("rank {}: {}: {}\n", session.world().rank().value(), to_string(error.kind()), error.what());
    session.abort(1);
  }
}
