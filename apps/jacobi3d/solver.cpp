// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "comm/agree.hpp"
#include "common/boundaries.hpp"
#include "common/gather.hpp"
#include "common/in_flight.hpp"
#include "common/slowest.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "jacobi3d/jacobi3d.hpp"

namespace jacobi3d {
namespace {

using halocline::comm::Reduction;

constexpr std::int64_t steps_in_flight = apps::InFlight::steps_in_flight;

/// A mark costs a stream about a microsecond: of longer runs only some steps get marks, now and then each of those
/// between two of the host's waits.
constexpr std::int64_t all_timed_below = 512;
constexpr std::int64_t timed_one_in = steps_in_flight - 1;

constexpr int buffers = 2;

/// Steps of a graph, at most: from one graph to the next takes a device longer than from one kernel to the next.
constexpr std::int64_t steps_of_graph = 32;

/// At least so many, and whole cycles of steps; all trials together are a small part of the shortest run that has them.
constexpr std::int64_t trial_steps = 8;
constexpr int trial_turns = 3;
constexpr std::int64_t run_over_trial = 25;

void check_settings(const Settings& settings, int steps_per_exchange) {
  if (settings.halos == Halos::awaited && steps_per_exchange > 1) {
    throw halocline::InvalidArgument(fmt::format(
        "jacobi3d: halos are awaited by kernels, and steps_per_exchange is {}; allowed is 1", steps_per_exchange));
  }
  if (settings.steps < 1) {
    throw halocline::InvalidArgument(fmt::format("jacobi3d: steps is {}; allowed is 1 or more", settings.steps));
  }
  if (settings.first < 0) {
    throw halocline::InvalidArgument(fmt::format("jacobi3d: first is {}; allowed is 0 or more", settings.first));
  }
  if (settings.last && *settings.last < settings.first + settings.steps) {
    throw halocline::InvalidArgument(fmt::format("jacobi3d: last is {}; allowed is {} or more: first + steps",
                                                 *settings.last, settings.first + settings.steps));
  }
  if (settings.residual_every < 0) {
    throw halocline::InvalidArgument(
        fmt::format("jacobi3d: residual_every is {}; allowed is 0 or more", settings.residual_every));
  }
  if (!(settings.tolerance >= 0)) {
    throw halocline::InvalidArgument(
        fmt::format("jacobi3d: tolerance is {}; allowed is 0 or more", settings.tolerance));
  }
}

/// Runs some steps of each kind in turns, without counting the first ones, and returns the fastest kind: the same on all
/// ranks. run(halos) runs the steps of a trial.
template <typename Run>
Halos fastest_of(halocline::Domain& domain, Run&& run) {
  Halos found{};
  double fastest = std::numeric_limits<double>::max();
  for (int turn = 0; turn < trial_turns; ++turn) {
    for (const Halos halos : ways_of(domain)) {
      const double took = apps::slowest_seconds(domain.plan().comm, [&] {
        run(halos);
        domain.synchronize();
      });
      if (turn == 0 || took >= fastest) continue;
      fastest = took;
      found = halos;
    }
  }
  return found;
}

}  // namespace

halocline::Stencil stencil() { return halocline::Stencil::star(1); }

std::string_view to_string(Halos halos) {
  switch (halos) {
    case Halos::exchanged: return "exchanged";
    case Halos::overlapped: return "overlapped";
    case Halos::awaited: return "awaited";
  }
  return "unknown";
}

std::vector<Halos> ways_of(halocline::Domain& domain) {
  std::vector<Halos> ways{Halos::exchanged, Halos::overlapped};
  if (domain.plan().steps_per_exchange == 1 && internals(domain).backend().kind() == halocline::DeviceKind::cuda) {
    ways.push_back(Halos::awaited);
  }
  return ways;
}

template <typename T>
Solver<T>::Solver(halocline::Domain& domain, halocline::Field<T> field)
    : domain_(domain), field_(field), problem_{internals(domain).geometry().partition.extent()}, traced_(domain) {
  const auto& descriptor = internals(domain).geometry().fields.at(field.id.index());
  if (descriptor.buffers != buffers) {
    throw halocline::InvalidArgument(
        fmt::format("jacobi3d: field '{}' has {} buffers; allowed is 2", descriptor.name, descriptor.buffers));
  }
  apps::check_periodic("jacobi3d", internals(domain).geometry());
  halocline::comm::agree_on(domain.plan().comm, [&] {
    kernels_ = make_kernels<T>(domain, problem_);
    for (std::size_t i = 0; i < domain.subdomains().size(); ++i) {
      differences_.push_back(internals(domain).backend().allocate_pinned(sizeof(Difference)));
    }
  });
}

template <typename T>
void Solver<T>::initialise() {
  for (const auto& subdomain : domain_.subdomains()) kernels_->initialise(subdomain, subdomain.view(field_));
}

template <typename T>
std::vector<T> Solver<T>::gather(const halocline::Box& box) {
  return apps::gather(domain_, field_, box);
}

/// stopwatches: of all subdomains, or none where the step is not timed.
template <typename T>
void Solver<T>::step(int since_exchange, Halos halos, std::span<Stopwatch> stopwatches) {
  using halocline::device::Range;
  auto& backend = internals(domain_).backend();
  const Range whole(backend, "jacobi3d: step");
  if (since_exchange == 0) return exchange_and_update(halos, stopwatches);
  const Range range(backend, "jacobi3d: all cells");
  for (auto& stopwatch : stopwatches) stopwatch.start();
  update_all(since_exchange, halos);
  for (auto& stopwatch : stopwatches) stopwatch.lap(Stopwatch::Part::compute);
}

template <typename T>
void Solver<T>::exchange_and_update(Halos halos, std::span<Stopwatch> stopwatches) {
  using halocline::device::Range;
  auto& backend = internals(domain_).backend();
  const auto subdomains = domain_.subdomains();
  const auto lap = [&](Stopwatch::Part part) {
    for (auto& stopwatch : stopwatches) stopwatch.lap(part);
  };
  for (auto& stopwatch : stopwatches) stopwatch.start();
  if (halos != Halos::overlapped) {
    halos == Halos::awaited ? domain_.exchange_awaited() : domain_.exchange();
    lap(Stopwatch::Part::exchange);
    const Range range(backend, "jacobi3d: all cells");
    update_all(0, halos);
    lap(Stopwatch::Part::compute);
    return;
  }
  auto exchange = [&] {
    const Range range(backend, "jacobi3d: start of the exchange");
    return domain_.start_exchange();
  }();
  {
    const Range range(backend, "jacobi3d: interior");
    for (const auto& subdomain : subdomains) {
      traced_.run(apps::Work::interior, subdomain,
                  [&] { kernels_->update_interior(subdomain, subdomain.read(field_), subdomain.view(field_, 1)); });
    }
    lap(Stopwatch::Part::compute);
  }
  {
    const Range range(backend, "jacobi3d: end of the exchange");
    exchange.finish();
    lap(Stopwatch::Part::exchange);
  }
  const Range range(backend, "jacobi3d: boundary");
  for (const auto& subdomain : subdomains) {
    traced_.run(apps::Work::boundary, subdomain, [&] {
      kernels_->update(subdomain, subdomain.boundary(), subdomain.read(field_), subdomain.view(field_, 1));
    });
  }
  lap(Stopwatch::Part::compute);
}

/// Counted from the last exchange.
template <typename T>
void Solver<T>::update_all(int since_exchange, Halos halos) {
  for (const auto& s : domain_.subdomains()) {
    const auto source = s.read(field_);
    const auto target = s.view(field_, 1);
    traced_.run(apps::Work::all_cells, s, [&] {
      if (halos == Halos::awaited) {
        kernels_->update_awaiting(s, source, target);
      } else {
        const halocline::Box box = s.update_box(since_exchange);
        kernels_->update(s, {&box, 1}, source, target);
      }
    });
  }
}

/// Between the current buffer and the next one. Summed by subdomain in one order, then by rank: the same in
/// each run.
template <typename T>
Residual Solver<T>::residual() {
  const halocline::device::Range range(internals(domain_).backend(), "jacobi3d: residual");
  const auto subdomains = domain_.subdomains();
  const auto at = [this](std::size_t i) { return reinterpret_cast<Difference*>(differences_[i]->data()); };
  const halocline::Field<const T> field{field_.id};
  for (std::size_t i = 0; i < subdomains.size(); ++i) {
    const auto& s = subdomains[i];
    kernels_->difference(s, s.view(field), s.view(field, 1), at(i));
  }
  domain_.synchronize();
  Difference all;
  for (std::size_t i = 0; i < subdomains.size(); ++i) {
    all.max = std::max(all.max, at(i)->max);
    all.sum_of_squares += at(i)->sum_of_squares;
  }
  return {domain_.plan().comm.all_reduce(all.max, Reduction::max),
          std::sqrt(domain_.plan().comm.all_reduce(all.sum_of_squares, Reduction::sum))};
}

template <typename T>
std::optional<Timings::Parts> Solver<T>::parts_of(std::span<Stopwatch> stopwatches, std::int64_t steps,
                                                  std::int64_t timed, halocline::Duration total) {
  using Part = Stopwatch::Part;
  if (timed == 0) return std::nullopt;
  double sums[] = {0, 0, static_cast<double>(stopwatches.size())};
  for (auto& stopwatch : stopwatches) {
    stopwatch.collect();
    const auto compute = static_cast<double>(stopwatch.spent_in(Part::compute).count());
    const auto exchange = static_cast<double>(stopwatch.spent_in(Part::exchange).count());
    // Steps with marks that were slower than the others stand for no more than the time that there was.
    const double share = std::min(static_cast<double>(steps) / static_cast<double>(timed),
                                  static_cast<double>(total.count()) / std::max(1.0, compute + exchange));
    sums[0] += share * compute;
    sums[1] += share * exchange;
  }
  domain_.plan().comm.all_reduce(std::span<double>(sums), Reduction::sum);
  const auto mean = [&](double sum) { return halocline::Duration(static_cast<std::int64_t>(sum / sums[2])); };
  return Timings::Parts{.exchange = mean(sums[1]), .compute = mean(sums[0])};
}

template <typename T>
Result Solver<T>::run(const Settings& settings, const std::function<void(const Progress&)>& progress) {
  check_settings(settings, domain_.plan().steps_per_exchange);
  auto comm = domain_.plan().comm;
  std::vector<Stopwatch> stopwatches;
  for (const auto& subdomain : domain_.subdomains())
    stopwatches.emplace_back(internals(domain_).backend(), stream_of(subdomain));
  apps::InFlight in_flight(domain_);
  Result result;
  std::optional<Residual> latest;
  const std::int64_t served = domain_.plan().steps_per_exchange;
  const std::int64_t cycle_steps = std::lcm(served, std::int64_t{buffers});
  const std::int64_t timed_every = settings.steps < all_timed_below ? 1 : timed_one_in;
  std::int64_t timed = 0;
  domain_.synchronize();
  comm.barrier();
  const auto& clock = halocline::Clock::steady();
  const auto start = clock.now();
  const std::int64_t last_of_run = settings.last.value_or(settings.first + settings.steps);
  // Within the next steps of this part; the last step of the run has one, too.
  const auto residual_within = [&](std::int64_t steps) {
    const std::int64_t before = settings.first + result.steps;
    const std::int64_t after = before + steps;
    return after >= last_of_run ||
           (settings.residual_every > 0 && after / settings.residual_every > before / settings.residual_every);
  };
  std::int64_t waited_at = 0;
  const auto flow = [&] {
    if (result.steps - waited_at < steps_in_flight / 2) return;
    waited_at = result.steps;
    in_flight.wait();
    for (auto& stopwatch : stopwatches) stopwatch.collect();
  };
  const auto one_step = [&] {
    // Not the first of several, which pays for what is done once; nor where a kernel starts with the exchange, which a mark would prevent.
    const bool watched =
        !settings.graph && result.halos != Halos::awaited && result.steps / served % timed_every == timed_every / 2;
    step(static_cast<int>(result.steps % served), result.halos,
         watched ? std::span(stopwatches) : std::span<Stopwatch>());
    timed += watched ? 1 : 0;
    const bool residual_due = residual_within(1);
    ++result.steps;
    const bool last = result.steps == settings.steps;
    if (residual_due) {
      latest = residual();
      result.converged = latest->max < settings.tolerance;
    } else {
      flow();
    }
    domain_.swap(field_);
    if (progress && (last || result.converged || result.steps % steps_in_flight == 0)) {
      progress({result.steps, settings.steps, latest});
    }
  };

  if (settings.halos) {
    result.halos = *settings.halos;
  } else if (const std::int64_t tried = (trial_steps + served - 1) / served * served;
             last_of_run - settings.first >= tried * run_over_trial &&
             settings.steps >= tried * trial_turns * std::ssize(ways_of(domain_))) {
    result.halos = fastest_of(domain_, [&](Halos halos) {
      result.halos = halos;
      for (std::int64_t i = 0; i < tried && !result.converged; ++i) one_step();
    });
  }
  struct Recording {
    std::int64_t steps;
    halocline::Graph graph;
  };
  std::vector<Recording> recordings;  // the longest first
  if (settings.graph) {
    for (std::int64_t i = 0; i < cycle_steps && result.steps < settings.steps && !result.converged; ++i) one_step();
    const auto record = [&](std::int64_t steps) {
      auto capture = domain_.capture();
      for (std::int64_t i = 0; i < steps; ++i) {
        step(static_cast<int>(i % served), result.halos, {});
        domain_.swap(field_);
      }
      recordings.push_back({steps, capture.finish()});
    };
    const std::int64_t between = settings.residual_every > 0 ? settings.residual_every : settings.steps;
    const std::int64_t many = std::min(steps_of_graph, between - 1) / cycle_steps * cycle_steps;
    if (many > cycle_steps) record(many);
    record(cycle_steps);
    comm.barrier();  // so that none waits in a step that is timed for another one that still records
  }
  while (result.steps < settings.steps && !result.converged) {
    // A graph begins where it was recorded, at whole cycles of steps.
    const auto next = std::ranges::find_if(recordings, [&](const Recording& recording) {
      return result.steps % cycle_steps == 0 && result.steps + recording.steps <= settings.steps &&
             !residual_within(recording.steps);
    });
    if (next != recordings.end()) {
      next->graph.launch();
      result.steps += next->steps;
      flow();
    } else {
      one_step();
    }
  }
  domain_.synchronize();
  const halocline::Duration total = clock.now() - start;
  result.residual = latest;

  result.timings.parts = parts_of(stopwatches, result.steps, timed, total);
  result.timings.total = halocline::Duration(comm.all_reduce(std::int64_t{total.count()}, Reduction::max));
  const auto cells = static_cast<double>(problem_.extent.volume());
  result.updates_per_second =
      cells * static_cast<double>(result.steps) * 1e9 / static_cast<double>(result.timings.total.count());
  return result;
}

template class Solver<float>;
template class Solver<double>;

}  // namespace jacobi3d
