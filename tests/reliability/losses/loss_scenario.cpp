// SPDX-License-Identifier: BSD-3-Clause
// loss_scenario FOLDER TRANSPORT SECONDS RANKS-PER-NODE|0 rebalance|checkpoint|none host|cuda: the life of a domain, for runs in which one
// rank is lost at some call (interposer/). Each rank writes FOLDER/rank-R: "pid P", "phase TIME NAME" where a phase begins, "error TIME KIND:
// TEXT", or "verified", and at last "end TIME". Its standard error is FOLDER/error-R. Exit code 0 if all is verified, 1 after an error.
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "comm/rank_group.hpp"
#include "halocline/files.hpp"
#include "halocline/halocline.hpp"
#include "halocline/host_array.hpp"
#include "halocline/session.hpp"

using namespace halocline;

namespace {

constexpr Vec3 extent{12, 10, 32};
constexpr int exchanges = 4;

/// Functions of the preloaded library; they do nothing where it is not there.
void begin_counting() {
  if (void* const begin = ::dlsym(RTLD_DEFAULT, "losses_begin")) reinterpret_cast<void (*)()>(begin)();
}
void own_step(const char* phase) {
  if (void* const step = ::dlsym(RTLD_DEFAULT, "losses_step")) reinterpret_cast<void (*)(const char*)>(step)(phase);
}

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

/// The file of this rank; each line is one write.
class Diary {
 public:
  explicit Diary(const std::string& folder) {
    const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
    const std::string mine = rank == nullptr ? "0" : rank;
    file_ = ::open((folder + "/rank-" + mine).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (std::freopen((folder + "/error-" + mine).c_str(), "w", stderr) == nullptr) std::_Exit(3);
    std::setvbuf(stderr, nullptr, _IOLBF, 4096);
    line(fmt::format("pid {}", ::getpid()));
  }
  void line(std::string text) const {
    text += '\n';
    if (::write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::_Exit(3);
  }
  void phase(const char* name) const {
    own_step(name);  // a rank that is stuck in its own code is so before the call
    line(fmt::format("phase {:.6f} {}", now(), name));
  }

 private:
  int file_ = -1;
};

double value_at(const Vec3& p, int step) {
  return static_cast<double>(((p.x % extent.x) * 100 + p.y % extent.y) * 100 + p.z % extent.z) + 0.25 * step;
}

void fill(const Domain& domain, Field<double> field, int step) {
  for (const Subdomain& subdomain : domain.subdomains()) {
    const HostArray<double> cells(subdomain, field);
    const Box& owned = subdomain.owned();
    for (std::int64_t z = owned.lo.z; z < owned.hi.z; ++z)
      for (std::int64_t y = owned.lo.y; y < owned.hi.y; ++y)
        for (std::int64_t x = owned.lo.x; x < owned.hi.x; ++x) cells({x, y, z}) = value_at({x, y, z}, step);
    cells.upload(subdomain, field);
  }
}

void compare(const Domain& domain, Field<double> field, int step) {
  for (const Subdomain& subdomain : domain.subdomains()) {
    const auto cells = to_host(subdomain, field);
    const Box halo = cells.view().with_halo();
    for (std::int64_t z = halo.lo.z; z < halo.hi.z; ++z)
      for (std::int64_t y = halo.lo.y; y < halo.hi.y; ++y)
        for (std::int64_t x = halo.lo.x; x < halo.hi.x; ++x) {
          const Vec3 wrapped{x + extent.x, y + extent.y, z + extent.z};
          if (cells({x, y, z}) != value_at(wrapped, step)) throw InternalError("a cell is wrong");
        }
  }
}

void live(const Diary& diary, int argc, char** argv) {
  const std::string folder = argv[1];
  const std::string transport = argv[2];
  const std::string_view more = argv[5];
  Environment environment;
  environment.timeout = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::atof(argv[3])));
  diary.phase("start-up");
  comm::Session session(&argc, &argv, environment);
  diary.phase("split");
  comm::RankGroup& world = session.world();
  const auto part = world.split(0, static_cast<int>(world.rank().value()));

  DomainOptions options;
  options.timeout = environment.timeout;
  options.devices.kind = device_kind_of(argv[6]);
  if (options.devices.kind == DeviceKind::host) options.devices.host_workers = 1;
  options.routing.policy =
      routing::Policy::parse("self," + transport + (transport == "mpi_staged" ? "" : ",mpi_staged"));
  if (const int ranks = std::atoi(argv[4]); ranks > 0) options.machine.ranks_per_node = ranks;
  Domain domain(extent, Stencil::box(1), comm::Communicator(*part), options);
  const auto u = domain.add_field<double>("u");
  diary.phase("plan");
  domain.plan();
  diary.phase("realize");
  domain.realize();
  constexpr const char* names[exchanges] = {"exchange 1", "exchange 2", "exchange 3", "exchange 4"};
  for (int step = 0; step < exchanges; ++step) {
    fill(domain, u, step);
    diary.phase(names[step]);
    domain.exchange();
    domain.synchronize();
    compare(domain, u, step);
  }
  if (more == "rebalance") {
    diary.phase("rebalance");
    const std::vector<double> speeds(domain.subdomains().size(), world.rank().value() == 0 ? 3.0 : 1.0);
    domain.rebalance(speeds);
  } else if (more == "checkpoint") {
    diary.phase("checkpoint");
    Checkpoints checkpoints(domain, folder + "/checkpoints");
    checkpoints.write({{"step", "4"}});
  }
  diary.phase("close");
  domain.close();
  diary.phase("close of the group");
  part->close();
  diary.phase("finalize");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fputs("usage: loss_scenario FOLDER TRANSPORT SECONDS RANKS-PER-NODE|0 rebalance|checkpoint|none host|cuda\n",
               stderr);
    return 2;
  }
  const Diary diary(argv[1]);
  begin_counting();
  int code = 0;
  try {
    live(diary, argc, argv);
    diary.line("verified");
  } catch (const Error& error) {
    diary.line(fmt::format("error {:.6f} {}: {}", now(), to_string(error.kind()), error.what()));
    code = 1;
  } catch (const std::exception& error) {
    diary.line(fmt::format("error {:.6f} unexpected: {}", now(), error.what()));
    code = 1;
  }
  diary.line(fmt::format("end {:.6f}", now()));
  return code;
}
