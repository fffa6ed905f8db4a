// SPDX-License-Identifier: BSD-3-Clause
// soak exchanges|domains|replays [--first N] [--runs N] [--leak heap|mapping|descriptor|thread]: two ranks that are threads, with two
// host devices each, repeat one thing: exchanges by all transports of a node and by messages of MPI; domains, from their plan to close(),
// with a transport each; graphs, captured, replayed and destroyed. Every owned and halo cell is compared each time. What the process holds
// must not grow over the last half of the runs. --leak keeps something each time, and must be found.
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "comm/local_ranks.hpp"
#include "halocline/halocline.hpp"
#include "resources.hpp"

namespace halocline::soak {
namespace {

using routing::Transport;

constexpr int ranks = 2;
constexpr Vec3 extent{6, 5, 8};
constexpr int samples_of_a_run = 64;
constexpr std::int64_t least_of_growth = 256;

std::int64_t value_at(Vec3 p, std::int64_t run) {
  for (int dim = 0; dim < 3; ++dim) p[dim] = (p[dim] + extent[dim]) % extent[dim];
  return run * 1000 + (p.z * extent.y + p.y) * extent.x + p.x;
}

DomainOptions options_with(std::vector<Transport> order) {
  DomainOptions options;
  options.devices.per_rank = 2;
  options.devices.kind = DeviceKind::host;
  options.routing.policy.order = std::move(order);
  return options;
}

/// A domain whose cells hold their position and the number of the run.
class Cells {
 public:
  Cells(comm::RankGroup& comm, const DomainOptions& options) : domain(extent, Stencil::box(1), comm, options) {
    u_ = domain.add_field<std::int64_t>("u", {.buffers = 2});
    domain.realize();
  }
  void fill(std::int64_t run) {
    for (const Subdomain& subdomain : domain.subdomains()) {
      const auto view = subdomain.view(u_);
      for_each_cell(view.with_halo(),
                    [&](const Vec3& p) { view(p) = view.owned().contains(p) ? value_at(p, run) : -1; });
    }
  }
  void compare(std::int64_t run) {
    domain.synchronize();
    for (const Subdomain& subdomain : domain.subdomains()) {
      const auto view = subdomain.view(u_);
      for_each_cell(view.with_halo(), [&](const Vec3& p) {
        if (view(p) == value_at(p, run)) return;
        throw std::runtime_error(fmt::format("run {}: cell ({}, {}, {}) of subdomain {} is {}, not {}", run, p.x, p.y,
                                             p.z, subdomain.id().value(), view(p), value_at(p, run)));
      });
    }
  }
  void swap() { domain.swap(u_); }
  Domain domain;

 private:
  Field<std::int64_t> u_;
};

/// Runs from `first` on; after(run) follows each of them.
using Repeat = void (*)(comm::RankGroup& comm, std::int64_t first, std::int64_t runs,
                        const std::function<void(std::int64_t)>& after);

void exchanges(comm::RankGroup& comm, std::int64_t first, std::int64_t runs,
               const std::function<void(std::int64_t)>& after) {
  DomainOptions options = options_with({Transport::self, Transport::direct, Transport::mpi_staged});
  const auto by = [&](int from, int to, Transport transport) {
    options.routing.policy.exceptions.push_back({subdomain_id(from), subdomain_id(to), transport});
  };
  by(0, 1, Transport::peer_copy);
  by(1, 2, Transport::ipc_copy);
  by(2, 1, Transport::mpi_staged);
  by(0, 3, Transport::mpi_staged);
  Cells cells(comm, options);
  for (std::int64_t run = first; run < first + runs; ++run) {
    cells.fill(run);
    if (run % 3 == 0) {
      cells.domain.exchange();
    } else {
      auto under_way = cells.domain.start_exchange();
      under_way.finish();
    }
    cells.compare(run);
    if (run % 5 == 0) cells.swap();
    after(run);
  }
  cells.domain.close();
}

void domains(comm::RankGroup& comm, std::int64_t first, std::int64_t runs,
             const std::function<void(std::int64_t)>& after) {
  constexpr std::array turns{Transport::direct, Transport::ipc_copy, Transport::mpi_staged, Transport::mpi_device};
  for (std::int64_t run = first; run < first + runs; ++run) {
    Cells cells(comm, options_with({turns[static_cast<std::size_t>(run) % turns.size()], Transport::self,
                                    Transport::mpi_staged}));
    cells.fill(run);
    cells.domain.exchange();
    cells.compare(run);
    cells.domain.close();
    after(run);
  }
}

void replays(comm::RankGroup& comm, std::int64_t first, std::int64_t runs,
             const std::function<void(std::int64_t)>& after) {
  Cells cells(comm, options_with({Transport::self, Transport::direct}));
  cells.domain.exchange();
  for (std::int64_t run = first; run < first + runs; ++run) {
    Capture capture = cells.domain.capture();
    cells.domain.exchange();
    const Graph steps = capture.finish();
    for (int replay = 0; replay < 2; ++replay) {
      cells.fill(run + replay);
      steps.launch();
      cells.compare(run + replay);
    }
    after(run);
  }
  cells.domain.close();
}

void leak(const std::string& what) {
  static std::vector<void*> kept;
  if (what == "heap") kept.push_back(std::malloc(64));
  if (what == "mapping") static_cast<void>(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (what == "descriptor") kept.push_back(reinterpret_cast<void*>(static_cast<std::intptr_t>(::dup(0))));
  if (what == "thread") std::thread([] { ::pause(); }).detach();
}

int run(const std::string& kind, std::int64_t first, std::int64_t runs, const std::string& leaked) {
  const Repeat repeat = kind == "exchanges" ? exchanges
                        : kind == "domains" ? domains
                        : kind == "replays" ? replays
                                            : nullptr;
  if (repeat == nullptr || first < 0 || runs < 1) {
    fmt::print(stderr, "usage: soak exchanges|domains|replays [--first N] [--runs N] [--leak WHAT]\n");
    return 2;
  }
  std::vector<Resources> samples;
  samples.reserve(samples_of_a_run);
  comm::run_as_threads(ranks, [&](comm::RankGroup& comm) {
    std::int64_t done = 0;
    repeat(comm, first, runs, [&](std::int64_t) {
      if (comm.rank() == rank_id(0)) leak(leaked);
      const std::int64_t before = done * samples_of_a_run / runs;
      ++done;
      if (done * samples_of_a_run / runs == before) return;
      // The other rank waits, and holds what it holds between two runs.
      comm.barrier();
      if (comm.rank() == rank_id(0)) samples.push_back(Resources::now());
      comm.barrier();
    });
  });
  // In fewer runs a leak is within what the heap may differ by.
  const std::string grown = runs < least_of_growth ? "" : growth(samples);
  if (!grown.empty()) {
    fmt::print("FAILED: over the last half of {} {}: {}\ncases passed: {}\n", runs, kind, grown, runs - 1);
    return 1;
  }
  fmt::print("soak: {} {}, all cells as they must be;", runs, kind);
  for (std::size_t i = 0; i < Resources::names.size(); ++i) {
    fmt::print("{} {} {}", i == 0 ? "" : ",", samples.back().held[i], Resources::names[i]);
  }
  fmt::print("\ncases passed: {}\n", runs);
  return 0;
}

}  // namespace
}  // namespace halocline::soak

int main(int argc, char** argv) {
  std::string kind = argc > 1 ? argv[1] : "", leaked;
  std::int64_t first = 0, runs = 1000;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--first") first = std::atoll(argv[i + 1]);
    if (option == "--runs") runs = std::atoll(argv[i + 1]);
    if (option == "--leak") leaked = argv[i + 1];
  }
  // One arena, which gives nothing back, and no blocks that threads keep: what is held does not depend on how threads collide.
  if (::getenv("GLIBC_TUNABLES") == nullptr) {
    ::setenv("GLIBC_TUNABLES",
             "glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0:glibc.malloc.top_pad=33554432:"
             "glibc.malloc.trim_threshold=1073741824",
             1);
    ::execv("/proc/self/exe", argv);
  }
  try {
    return halocline::soak::run(kind, first, runs, leaked);
  } catch (const std::exception& error) {
    fmt::print("FAILED: {}\ncases passed: {}\n", error.what(), runs - 1);
    return 1;
  }
}
