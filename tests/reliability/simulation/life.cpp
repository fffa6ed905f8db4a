// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/life.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "simulation/simulator.hpp"
#include "support/halo_case.hpp"

namespace halocline::simulation {
namespace {

using namespace std::chrono_literals;

/// Of waits, in virtual time.
constexpr Duration timeout = 5s;
constexpr Duration stop = 3 * timeout;
/// Ranks that are left end so long after a fault at most: one wait of an exchange, one of close() or of a collective.
constexpr Duration most_after_fault = 2 * timeout + 1s;
/// A rank that leaves is noticed without a timeout.
constexpr Duration most_after_leaving = 1s;

/// A rank that leaves: not an error of Halocline.
struct Killed {};

/// How a rank has ended.
struct Ending {
  enum class How { completed, killed, error, unexpected } how = How::unexpected;
  ErrorKind kind{};
  std::string text;
  std::int64_t wrong = 0;  ///< cells
  std::string first_wrong;
  Time at{};
};

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
      s.stream().host_function([this, i, view = s.view(field_)] {
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
      s.stream().host_function([this, i, view = s.view(field_)] {
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
  host.injector = injector;
  DomainOptions options;
  set_launch_threads(options, life.launch_threads);
  options.devices.existing.emplace(device::make_host_backend(host));
  options.machine.ranks_per_node = life.ranks_per_node;
  options.routing.policy = life.policy;
  options.routing.messages = life.messages;
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

void live(const Life& life, comm::RankGroup& comm, const std::shared_ptr<device::Injector>& injector, Trap trap,
          Ending& ending) {
  trap(-1, 0);
  std::vector<std::unique_ptr<Made>> all;
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

std::string text_of(const Ending& ending, int rank) {
  using How = Ending::How;
  switch (ending.how) {
    case How::completed: return fmt::format("\n  rank {}: completed at {} us", rank, ending.at.count() / 1000);
    case How::killed: return fmt::format("\n  rank {}: left at {} us", rank, ending.at.count() / 1000);
    default:
      return fmt::format("\n  rank {}: {} error at {} us: {}", rank, to_string(ending.kind), ending.at.count() / 1000,
                         ending.text);
  }
}

/// Errors that only say that another rank is gone or late.
bool of_others(ErrorKind kind) { return kind == ErrorKind::communication || kind == ErrorKind::deadline; }

/// Judges the endings of all ranks; fault: when it happened.
std::string judge(const Life& life, const std::vector<Ending>& endings, const std::optional<Time>& fault) {
  using How = Ending::How;
  std::string all;
  for (std::size_t rank = 0; rank < endings.size(); ++rank) all += text_of(endings[rank], static_cast<int>(rank));
  for (std::size_t rank = 0; rank < endings.size(); ++rank) {
    const Ending& ending = endings[rank];
    if (ending.wrong > 0) {
      return fmt::format("wrong: {} cells on rank {}; {}{}", ending.wrong, rank, ending.first_wrong, all);
    }
    if (ending.how == How::unexpected) return fmt::format("foreign: rank {} ended with another error{}", rank, all);
    const Time most = life.fault == Fault::killed    ? most_after_leaving
                      : life.fault == Fault::stopped ? most_after_fault + stop
                                                     : most_after_fault;
    if (fault && ending.at > *fault + most) {
      return fmt::format("late: rank {} ended {} ms after the fault{}", rank, (ending.at - *fault).count() / 1'000'000,
                         all);
    }
  }
  const auto completed = std::ranges::count(endings, How::completed, &Ending::how);
  if (!fault) {
    return completed == std::ssize(endings) ? ""
                                            : fmt::format("error: without a fault, ranks ended with errors{}", all);
  }
  const bool agree = std::ranges::all_of(endings, [&](const Ending& ending) {
    return ending.how == How::error && ending.kind == endings.front().kind && ending.text == endings.front().text;
  });
  switch (life.fault) {
    case Fault::refused_mapping:
    case Fault::refused_export:
    case Fault::failed_allocation:
      if (agree || completed == std::ssize(endings)) return "";
      return fmt::format("disagree: ranks ended with different errors{}", all);
    case Fault::swapped:
      if (completed == std::ssize(endings)) return fmt::format("missed: no rank noticed that one had swapped{}", all);
      [[fallthrough]];
    case Fault::killed:
    case Fault::stopped:
    case Fault::failed_operation:
      // In set-up, and in close(), ranks agree on the error.
      if (agree) return "";
      for (std::size_t rank = 0; rank < endings.size(); ++rank) {
        const Ending& ending = endings[rank];
        const bool faulty = std::cmp_equal(rank, life.faulty_rank);
        if (ending.how == How::error && !of_others(ending.kind) && !(faulty && ending.kind == ErrorKind::device) &&
            !(life.fault == Fault::swapped && ending.kind == ErrorKind::protocol)) {
          return fmt::format("kind: rank {} ended with an error of another kind{}", rank, all);
        }
      }
      return "";
    case Fault::none: break;
  }
  return "";
}

}  // namespace

std::string run_life(const Life& life) {
  std::vector<Ending> endings(static_cast<std::size_t>(life.ranks));
  std::optional<Time> fault;
  const bool in_operations = life.fault > Fault::swapped;
  const auto fails = in_operations ? std::make_shared<FailsOnce>(life.fault, life.fault_number) : nullptr;
  comm::ThreadsOptions threads;
  threads.timeout = timeout;
  comm::run_as_threads(
      life.ranks,
      [&](comm::RankGroup& comm) {
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
        mine.at = Simulator::instance().now();
      },
      threads);
  return judge(life, endings, fails ? fails->at : fault);
}

}  // namespace halocline::simulation
