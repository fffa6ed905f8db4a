// SPDX-License-Identifier: BSD-3-Clause
// soak exchanges|domains|replays [--first N] [--runs N] [--backend host|cuda] [--devices N] [--leak heap|mapping|descriptor|thread]: two
// ranks, with N devices each (2 on the host, 1 GPU), repeat one thing: exchanges by all transports of a node and by messages of MPI; domains,
// from their plan to close(), with a transport each; graphs, captured, replayed and destroyed. Every owned and halo cell is compared each
// time. What a process and its GPUs hold must not grow over the last half of the runs. --leak keeps something each time, and must be found.
// The ranks are threads, or, started by mpirun, its processes.
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "comm/local_ranks.hpp"
#include "comm/rank_group.hpp"
#include "halocline/halocline.hpp"
#include "halocline/host_array.hpp"
#include "resources.hpp"

namespace halocline::soak {
namespace {

using routing::Transport;

constexpr int threads = 2;
constexpr Vec3 extent{6, 5, 8};
constexpr int samples_of_a_run = 64;
constexpr std::int64_t least_of_growth = 256;

std::int64_t value_at(Vec3 p, std::int64_t run) {
  for (int dim = 0; dim < 3; ++dim) p[dim] = (p[dim] + extent[dim]) % extent[dim];
  return run * 1000 + (p.z * extent.y + p.y) * extent.x + p.x;
}

struct Wanted {
  std::string what;
  std::int64_t first = 0;
  std::int64_t runs = 1000;
  DeviceKind kind = DeviceKind::host;
  int devices = 0;
  std::string leaked;
};

DomainOptions options_with(const Wanted& wanted, std::vector<Transport> order) {
  DomainOptions options;
  options.devices.per_rank = wanted.devices;
  options.devices.kind = wanted.kind;
  options.routing.policy.order = std::move(order);
  return options;
}

/// A domain whose cells hold their position and the number of the run.
class Cells {
 public:
  Cells(comm::RankGroup& comm, const DomainOptions& options) : domain(extent, Stencil::box(1), comm, options) {
    u_ = domain.add_field<std::int64_t>("u", {.buffers = 2});
    domain.realize();
    if (options.devices.kind == DeviceKind::host) return;
    for (const Subdomain& subdomain : domain.subdomains()) copies_.emplace_back(subdomain, u_);
  }
  void fill(std::int64_t run) {
    for (std::size_t i = 0; i < domain.subdomains().size(); ++i) {
      const Subdomain& subdomain = domain.subdomains()[i];
      const auto view = view_of(i);
      for_each_cell(view.with_halo(),
                    [&](const Vec3& p) { view(p) = view.owned().contains(p) ? value_at(p, run) : -1; });
      if (!copies_.empty()) copies_[i].upload(subdomain, u_);
    }
  }
  void compare(std::int64_t run) {
    domain.synchronize();
    for (std::size_t i = 0; i < domain.subdomains().size(); ++i) {
      const Subdomain& subdomain = domain.subdomains()[i];
      if (!copies_.empty()) copies_[i].download(subdomain, u_);
      const auto view = view_of(i);
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
  [[nodiscard]] View<std::int64_t> view_of(std::size_t subdomain) const {
    return copies_.empty() ? domain.subdomains()[subdomain].view(u_) : copies_[subdomain].view();
  }

  Field<std::int64_t> u_;
  std::vector<HostArray<std::int64_t>> copies_;  ///< of each subdomain on a GPU
};

/// Runs from the first one on; after() follows each of them.
using Repeat = void (*)(comm::RankGroup& comm, const Wanted& wanted, const std::function<void()>& after);

void exchanges(comm::RankGroup& comm, const Wanted& wanted, const std::function<void()>& after) {
  DomainOptions options = options_with(wanted, {Transport::self, Transport::direct, Transport::mpi_staged});
  const auto by = [&](int from, int to, Transport transport) {
    options.routing.policy.exceptions.push_back({subdomain_id(from), subdomain_id(to), transport});
  };
  if (comm.size() * wanted.devices < 4) {
    by(0, 1, Transport::ipc_copy);
    by(1, 0, Transport::mpi_staged);
  } else {
    by(0, 1, Transport::peer_copy);
    by(1, 2, Transport::ipc_copy);
    by(2, 1, Transport::mpi_staged);
    by(0, 3, Transport::mpi_staged);
  }
  Cells cells(comm, options);
  for (std::int64_t run = wanted.first; run < wanted.first + wanted.runs; ++run) {
    cells.fill(run);
    if (run % 3 == 0) {
      cells.domain.exchange();
    } else {
      auto under_way = cells.domain.start_exchange();
      under_way.finish();
    }
    cells.compare(run);
    if (run % 5 == 0) cells.swap();
    after();
  }
  cells.domain.close();
}

void domains(comm::RankGroup& comm, const Wanted& wanted, const std::function<void()>& after) {
  constexpr std::array turns{Transport::direct, Transport::ipc_copy, Transport::mpi_staged, Transport::mpi_device};
  for (std::int64_t run = wanted.first; run < wanted.first + wanted.runs; ++run) {
    const Transport turn = turns[static_cast<std::size_t>(run) % turns.size()];
    Cells cells(comm, options_with(wanted, {turn, Transport::self, Transport::mpi_staged}));
    cells.fill(run);
    cells.domain.exchange();
    cells.compare(run);
    cells.domain.close();
    after();
  }
}

void replays(comm::RankGroup& comm, const Wanted& wanted, const std::function<void()>& after) {
  Cells cells(comm, options_with(wanted, {Transport::self, Transport::direct}));
  cells.domain.exchange();
  for (std::int64_t run = wanted.first; run < wanted.first + wanted.runs; ++run) {
    Capture capture = cells.domain.capture();
    cells.domain.exchange();
    const Graph steps = capture.finish();
    for (int replay = 0; replay < 2; ++replay) {
      cells.fill(run + replay);
      steps.launch();
      cells.compare(run + replay);
    }
    after();
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

/// What the process held during the runs, if this rank looks. Of ranks that are threads one looks: another's look has a descriptor open.
std::vector<Resources> repeat_on(comm::RankGroup& comm, const Wanted& wanted, Repeat repeat, bool looks) {
  std::vector<Resources> samples;
  samples.reserve(samples_of_a_run);
  std::int64_t done = 0;
  repeat(comm, wanted, [&] {
    if (comm.rank() == rank_id(0)) leak(wanted.leaked);
    const std::int64_t before = done * samples_of_a_run / wanted.runs;
    ++done;
    if (done * samples_of_a_run / wanted.runs == before) return;
    // The other ranks wait, and hold what they hold between two runs.
    comm.barrier();
    if (looks) samples.push_back(Resources::now(wanted.kind));
    comm.barrier();
  });
  return samples;
}

/// Rank 0 prints what came out. The exit code is the same on all ranks.
int report(comm::RankGroup& world, const Wanted& wanted, const std::vector<Resources>& samples) {
  // In fewer runs a leak is within what the heap may differ by.
  const std::string grown = wanted.runs < least_of_growth ? "" : growth(samples);
  if (!grown.empty()) {
    fmt::print("FAILED: over the last half of {} {}: {}\n", wanted.runs, wanted.what, grown);
    std::fflush(stdout);
  }
  const bool failed = world.all_reduce(grown.empty() ? 0.0 : 1.0, comm::Reduction::max) > 0;
  if (world.rank() != rank_id(0)) return failed ? 1 : 0;
  if (!failed) {
    fmt::print("soak: {} {}, all cells as they must be;", wanted.runs, wanted.what);
    for (std::size_t i = 0; i < Resources::names.size(); ++i) {
      fmt::print("{} {} {}", i == 0 ? "" : ",", samples.back().held[i], Resources::names[i]);
    }
    fmt::print("\n");
  }
  fmt::print("cases passed: {}\n", failed ? wanted.runs - 1 : wanted.runs);
  return failed ? 1 : 0;
}

int run(comm::RankGroup& world, const Wanted& wanted) {
  const Repeat repeat = wanted.what == "exchanges" ? exchanges
                        : wanted.what == "domains" ? domains
                        : wanted.what == "replays" ? replays
                                                   : nullptr;
  if (repeat == nullptr || wanted.first < 0 || wanted.runs < 1 || wanted.devices < 1) {
    fmt::print(stderr,
               "usage: soak exchanges|domains|replays [--first N] [--runs N] [--backend host|cuda] [--devices N] "
               "[--leak WHAT]\n");
    return 2;
  }
  if (world.size() > 1) return report(world, wanted, repeat_on(world, wanted, repeat, true));
  std::vector<Resources> samples;
  comm::run_as_threads(threads, [&](comm::RankGroup& comm) {
    const bool looks = comm.rank() == rank_id(0);
    std::vector<Resources> seen = repeat_on(comm, wanted, repeat, looks);
    if (looks) samples = std::move(seen);
  });
  return report(world, wanted, samples);
}

}  // namespace
}  // namespace halocline::soak

int main(int argc, char** argv) {
  using namespace halocline;
  // One arena, which gives nothing back, and no blocks that threads keep: what is held does not depend on how threads collide.
  if (::getenv("GLIBC_TUNABLES") == nullptr) {
    ::setenv("GLIBC_TUNABLES",
             "glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0:glibc.malloc.top_pad=33554432:"
             "glibc.malloc.trim_threshold=1073741824",
             1);
    ::execv("/proc/self/exe", argv);
  }
  soak::Wanted wanted;
  if (argc > 1) wanted.what = argv[1];
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const std::string value = argv[i + 1];
    if (option == "--first") {
      wanted.first = std::atoll(argv[i + 1]);
    } else if (option == "--runs") {
      wanted.runs = std::atoll(argv[i + 1]);
    } else if (option == "--backend" && (value == "host" || value == "cuda")) {
      wanted.kind = value == "host" ? DeviceKind::host : DeviceKind::cuda;
    } else if (option == "--devices") {
      wanted.devices = std::atoi(argv[i + 1]);
    } else if (option == "--leak") {
      wanted.leaked = value;
    } else {
      wanted.what.clear();  // for the usage
    }
  }
  if (wanted.devices == 0) wanted.devices = wanted.kind == DeviceKind::host ? 2 : 1;
  try {
    comm::Session session(&argc, &argv, Environment::read());
    return soak::run(session.world(), wanted);
  } catch (const std::exception& error) {
    fmt::print("FAILED: {}\ncases passed: {}\n", error.what(), wanted.runs - 1);
    return 1;
  }
}
