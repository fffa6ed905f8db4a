// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/life.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "simulation/endings.hpp"
#include "simulation/late_sends.hpp"
#include "simulation/simulator.hpp"
#include "support/halo_case.hpp"

namespace halocline::simulation {
namespace {

using namespace std::chrono_literals;

constexpr Duration linger = 3 * timeout;

/// A rank that leaves: not an error of Halocline.
struct Killed {};

/// The n-th operation that fits fails.
class FailsOnce final : public device::Injector {
 public:
  FailsOnce(Fault fault, int number) : fault_(fault), left_(number) {}
  device::Injection before(device::Operation operation, int) override {
    using device::Operation;
    const bool fits = fault_ == Fault::refused_mapping     ? operation == Operation::map_memory
                      : fault_ == Fault::refused_export    ? operation == Operation::export_memory
                      : fault_ == Fault::failed_allocation ? operation == Operation::allocate
                                                           : operation > Operation::map_memory;
    device::Injection injection;
    if (fits && --left_ == 0) {
      injection.failure = "planted";
      at = Simulator::instance().now();
    }
    return injection;
  }
  std::optional<Time> at;

 private:
  Fault fault_;
  int left_;
};

std::int64_t value_at(Vec3 p, const Vec3& extent, std::int64_t step) {
  for (int dim = 0; dim < 3; ++dim) p[dim] = (p[dim] + extent[dim]) % extent[dim];
  return ((p.z * extent.y + p.y) * extent.x + p.x) * 1000 + step;
}

/// Whether an exchange fills the cell: it is not owned, and the stencil reads its side.
bool filled(const Stencil& stencil, const Box& owned, const Vec3& p) {
  std::array<int, 3> side{};
  for (int dim = 0; dim < 3; ++dim) {
    side[static_cast<std::size_t>(dim)] = p[dim] < owned.lo[dim] ? -1 : (p[dim] >= owned.hi[dim] ? 1 : 0);
  }
  return (side[0] != 0 || side[1] != 0 || side[2] != 0) && stencil.reads(Direction::of(side[0], side[1], side[2]));
}

/// One domain of one rank, whose cells hold a function of their position and of the number of the step.
class Made {
 public:
  Made(const Life& life, comm::RankGroup& comm, const DomainOptions& options, Ending& ending, int number)
      : life_(life), ending_(ending), number_(number), domain(life.extent, life.stencil, comm, options) {
    field_ = domain.add_field<std::int64_t>("u", {.buffers = life.buffers});
    domain.realize();
    steps_.resize(domain.subdomains().size());
  }

  void fill() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Subdomain& s = domain.subdomains()[i];
      enqueue(s, [this, i, view = s.view(field_)] {
        const std::int64_t step = ++steps_[i] + 100 * number_;
        for_each_cell(view.with_halo(), [&](const Vec3& p) {
          view(p) = view.owned().contains(p) ? value_at(p, life_.extent, step) : -step;
        });
      });
    }
  }
  void check() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Subdomain& s = domain.subdomains()[i];
      enqueue(s, [this, i, view = s.view(field_)] {
        const std::int64_t step = steps_[i] + 100 * number_;
        for_each_cell(view.with_halo(), [&](const Vec3& p) {
          const bool right = view.owned().contains(p) || filled(life_.stencil, view.owned(), p);
          const std::int64_t expected = right ? value_at(p, life_.extent, step) : -step;
          if (view(p) == expected) return;
          if (ending_.wrong++ == 0) {
            Simulator::instance().note("wrong cell in step", steps_[i]);
            ending_.first_wrong = fmt::format("domain {}, step {}, cell ({}, {}, {}) is {}; expected was {}", number_,
                                              steps_[i], p.x, p.y, p.z, view(p), expected);
          }
        });
      });
    }
  }
  void swap() {
    if (life_.buffers > 1) domain.swap(field_);
  }
  [[nodiscard]] bool all_steps(int steps) const {
    return std::ranges::all_of(steps_, [&](std::int64_t done) { return done == steps; });
  }

 private:
  void enqueue(const Subdomain& subdomain, std::function<void()> function) {
    try {
      subdomain.stream().host_function(std::move(function));
    } catch (const Error&) {
      ending_.by_user = true;
      throw;
    }
  }

  const Life& life_;
  Ending& ending_;
  int number_;
  Field<std::int64_t> field_;
  std::vector<std::int64_t> steps_;  ///< by subdomain

 public:
  Domain domain;  ///< last: work in its streams uses the others
};

/// The faults of a rank that happen in its own code.
class Trap {
 public:
  Trap(const Life& life, comm::RankGroup& comm, std::optional<Time>& at) : life_(life), at_(at) {
    mine_ = comm.rank().value() == life.faulty_rank;
  }
  /// Whether to swap once more.
  [[nodiscard]] bool swaps() { return std::exchange(swaps_, false); }
  void operator()(int step, int place) {
    if (!mine_ || step != life_.fault_step || (step >= 0 && place != life_.fault_place)) return;
    if (life_.fault == Fault::killed) {
      Simulator::instance().note("killed");
      at_ = Simulator::instance().now();
      throw Killed();
    }
    if (life_.fault == Fault::stopped) {
      Simulator::instance().note("stops");
      at_ = Simulator::instance().now();
      Simulator::instance().stop_family(stop);
    }
    if (life_.fault == Fault::swapped) {
      Simulator::instance().note("swaps once more");
      at_ = Simulator::instance().now();
      swaps_ = true;
    }
  }

 private:
  const Life& life_;
  std::optional<Time>& at_;
  bool mine_ = false;
  bool swaps_ = false;
};

DomainOptions options_of(const Life& life, comm::RankGroup& comm, const std::shared_ptr<device::Injector>& injector) {
  device::HostOptions host;
  host.devices = life.devices;
  host.workers = life.workers;
  host.ranks_on_node = life.ranks;
  host.clock = &comm.clock();
  host.always_remap = life.always_remap;
  host.graphs = life.library_graphs;
  if (!life.one_operation) host.one_operation_below_bytes = 0;
  host.injector = injector;
  DomainOptions options;
  options.internal =
      std::make_shared<InternalOptions>(InternalOptions{.launch_threads = life.launch_threads, .host_packets = true});
  options.devices.existing.emplace(device::make_host_backend(host));
  options.machine.ranks_per_node = life.ranks_per_node;
  options.routing.policy = life.policy;
  options.routing.messages = life.messages;
  options.routing.net_engine = routing::NetEngine::mpi;  // UCX has threads and sleeps of its own
  options.tuning = life.tuning;
  options.timeout = timeout;
  return options;
}

/// Steps that a replay repeats: whole cycles of swaps.
void run_captured(Made& made, const Life& life) {
  Capture capture = made.domain.capture();
  for (int i = 0; i < life.buffers; ++i) {
    made.fill();
    made.domain.exchange();
    made.check();
    made.swap();
  }
  const Graph graph = capture.finish();
  for (int step = 0; step < life.steps; step += life.buffers) graph.launch();
  made.domain.synchronize();
}

using Domains = std::vector<std::unique_ptr<Made>>;

void run_steps(const Life& life, comm::RankGroup& comm, const std::shared_ptr<device::Injector>& injector, Trap trap,
               Ending& ending, Domains& all) {
  trap(-1, 0);
  const DomainOptions options = options_of(life, comm, injector);
  for (int i = 0; i < life.domains; ++i) all.push_back(std::make_unique<Made>(life, comm, options, ending, i));
  int steps = 0;
  for (int step = 0; step < life.steps; ++step, ++steps) {
    Simulator::instance().note("step", step);
    std::vector<ExchangeHandle> handles;
    for (auto& made : all) made->fill();
    trap(step, 0);
    for (auto& made : all) handles.push_back(made->domain.start_exchange());
    trap(step, 1);
    // Another order on each rank.
    const std::size_t first = comm.rank().index() % all.size();
    for (std::size_t i = 0; i < all.size(); ++i) handles[(first + i) % all.size()].finish();
    trap(step, 2);
    for (auto& made : all) {
      made->check();
      made->swap();
      if (trap.swaps()) made->swap();
      if (life.waits_each_step) made->domain.synchronize();
    }
  }
  if (life.captured) {
    for (auto& made : all) {
      run_captured(*made, life);
      steps = life.steps + (life.steps + life.buffers - 1) / life.buffers * life.buffers;
    }
  }
  for (auto& made : all) {
    made->domain.synchronize();
    if (!made->all_steps(steps)) throw InternalError("the simulation: a step did not run");
  }
  for (auto& made : all) made->domain.close();
}

void live(const Life& life, comm::RankGroup& comm, const std::shared_ptr<device::Injector>& injector, const Trap& trap,
          Ending& ending) {
  Domains all;
  try {
    run_steps(life, comm, injector, trap, ending, all);
  } catch (const Error&) {
    // Halocline notices that an operation of the program's own has failed in its next call, or at the end of the domain.
    if (life.lingers && !ending.by_user) {
      ending.at = Simulator::instance().now();
      std::this_thread::sleep_for(linger);
    }
    throw;
  }
}

}  // namespace

std::string run_life(const Life& life) {
  std::vector<Ending> endings(static_cast<std::size_t>(life.ranks));
  std::optional<Time> fault;
  const bool in_operations = life.fault > Fault::swapped;
  const auto fails = in_operations ? std::make_shared<FailsOnce>(life.fault, life.fault_number) : nullptr;
  comm::ThreadsOptions threads;
  threads.timeout = timeout;
  std::string changed;
  std::string unfinished;
  comm::run_as_threads(
      life.ranks,
      [&](comm::RankGroup& given) {
        LateSends comm(given, {life.sends_seed + given.rank().index(), life.latest_send,
                               given.rank().value() >= life.serial_ranks, &changed, &unfinished});
        Ending& mine = endings[comm.rank().index()];
        const bool faulty = comm.rank().value() == life.faulty_rank;
        try {
          live(life, comm, faulty ? fails : nullptr, Trap(life, comm, fault), mine);
          mine.how = Ending::How::completed;
        } catch (const Killed&) {
          mine.how = Ending::How::killed;
        } catch (const Error& error) {
          mine.how = Ending::How::error;
          mine.kind = error.kind();
          mine.text = error.what();
        } catch (const std::exception& error) {
          mine.text = error.what();
        }
        if (mine.at == Time{}) mine.at = Simulator::instance().now();
      },
      threads);
  if (!changed.empty()) return "wrong: " + changed;
  if (fails) fault = fails->at;
  if (!fault && !unfinished.empty()) return "unfinished: " + unfinished;
  return judge(life, endings, fault);
}

}  // namespace halocline::simulation
