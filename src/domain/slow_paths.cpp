// SPDX-License-Identifier: BSD-3-Clause
// The judgement of a domain's routes when it is closed (docs/decisions/0070).
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "comm/gather.hpp"
#include "core/log.hpp"
#include "core/serialise.hpp"
#include "discovery/own_cpus.hpp"
#include "domain/detail/domain_impl.hpp"
#include "plan/expected_routes.hpp"
#include "plan/slow_route.hpp"

namespace halocline {

auto members(MaybeConst<SlowRoute> auto& slow) {
  auto& route = slow.route;
  return std::tie(route.from, route.to, route.transport, route.reason, slow.expected_transport, slow.bytes,
                  slow.observed, slow.expected);
}
auto members(MaybeConst<RankCores> auto& cores) { return std::tie(cores.cpus, cores.numa); }

namespace {

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

/// What a rank found.
struct Judgement {
  /// The least time that its exchanges took, over the longest that is not slow; 0 if it cannot judge, infinite if it receives
  /// no message.
  double excess = 0;
  double route_excess = 0;  ///< of `slowest`
  SlowRoute slowest;        ///< of the messages that it receives
  RankCores cores;
  int exchanges = 0;
};
auto members(MaybeConst<Judgement> auto& one) {
  return std::tie(one.excess, one.route_excess, one.slowest, one.cores, one.exchanges);
}

/// A message, with the time that its host waited for it, or that the whole exchange took where only devices see it arrive.
struct Candidate {
  SlowRoute slow;
  bool alone = false;  ///< timed by itself
  /// Which of the messages that were not is more likely the slow one.
  [[nodiscard]] auto rank() const {
    return std::tuple(slow.fell_back(), slow.route.from != slow.route.to, slow.expected);
  }
};

Candidate candidate_of(const ExpectedRoute& expected, const SlowPathWatch& watch,
                       std::span<const exchange::Arrival> arrivals) {
  const auto same = [&](const auto& other) {
    return other.from == expected.route.from && other.to == expected.route.to;
  };
  Candidate made{{expected.route, expected.route.transport, expected.bytes, seconds(watch.least()), expected.seconds}};
  if (const auto route = std::ranges::find_if(watch.routes(), same); route != watch.routes().end()) {
    made.slow.route = *route;
  }
  if (const auto arrival = std::ranges::find_if(arrivals, same); arrival != arrivals.end()) {
    made.slow.observed = seconds(arrival->least);
    made.alone = true;
  }
  return made;
}

/// The one that exceeds its limit most if it was timed by itself and is slow, otherwise the likeliest of the others. least: of the whole
/// exchange, which is then all that is known: what the host found complete may still have been on its way to the device.
SlowRoute slowest_of(const std::vector<Candidate>& candidates, const Tolerance& tolerance, double least) {
  const auto excess = [&](const Candidate& one) {
    return one.alone ? one.slow.observed / tolerance.limit(one.slow.expected) : 0;
  };
  const auto alone = std::ranges::max_element(candidates, {}, excess);
  if (excess(*alone) > 1) return alone->slow;
  SlowRoute likeliest = std::ranges::max_element(candidates, {}, [](const Candidate& one) {
                          return std::tuple(one.slow.route.from != one.slow.route.to, !one.alone, one.rank());
                        })->slow;
  likeliest.observed = least;
  return likeliest;
}

Judgement judge(SlowPathWatch& watch, const Plan& plan, const RoutingOptions& routing, bool gpus, rank_id me,
                std::span<const exchange::Arrival> arrivals) {
  watch.update();
  Judgement found;
  found.exchanges = watch.timed();
  if (std::ranges::none_of(watch.routes(), [&](const auto& route) { return plan.owner(route.to) == me; })) {
    found.excess = std::numeric_limits<double>::infinity();
    return found;
  }
  Tolerance tolerance = tolerance_of(plan.machine, gpus);
  const double observed = seconds(watch.least());
  // No simulation where no expectation can be exceeded.
  if (watch.timed() < SlowPathWatch::enough || observed <= tolerance.limit(0)) return found;
  std::vector<Candidate> candidates;
  double longest = 0;
  int by_host = 0;
  for (const ExpectedRoute& expected : expected_routes(plan, routing.policy, gpus, me, routing.messages)) {
    longest = std::max(longest, expected.seconds);
    by_host += expected.by_host;
    candidates.push_back(candidate_of(expected, watch, arrivals));
  }
  if (candidates.empty()) return found;
  tolerance = tolerance_of(plan.machine, gpus, by_host);
  found.slowest = slowest_of(candidates, tolerance, observed);
  found.route_excess = found.slowest.observed / tolerance.limit(found.slowest.expected);
  found.excess = observed / tolerance.limit(longest);
  const machine::OwnCpus own = machine::own_cpus();
  found.cores = {own.cpus, own.numa};
  return found;
}

}  // namespace

void Domain::Impl::warn_of_slow_path(std::span<const exchange::Arrival> arrivals) {
  const bool gpus = backend->kind() != DeviceKind::host;
  Judgement own;
  if (slow_paths) {
    try {
      own = judge(*slow_paths, *plan, {options.routing.policy, messages()}, gpus, comm->rank(), arrivals);
    } catch (const std::exception& error) {  // a warning is not worth an error
      own = {};
      log(LogLevel::debug, fmt::format("slow paths are not judged: {}", error.what()));
    }
  }
  const double least = comm->all_reduce(own.excess, comm::Reduction::min);
  if (!std::isfinite(least)) return;
  if (least > 0 && comm->rank() == rank_id(0)) {
    log(LogLevel::debug, fmt::format("slow paths: share of the limit: {:.4g}", least));
  }
  if (least <= 1) return;
  const std::vector<Judgement> all = comm::gather(*comm, own);
  if (comm->rank() != rank_id(0)) return;
  std::vector<RankCores> cores;
  for (const Judgement& one : all) cores.push_back(one.cores);
  const auto& slowest = *std::ranges::max_element(all, {}, [](const Judgement& one) {
    const SlowRoute& slow = one.slowest;
    return std::tuple(one.route_excess > 1, slow.fell_back(), slow.route.from != slow.route.to, one.route_excess);
  });
  try {
    log(LogLevel::warning, slow_route_text(slowest.slowest, *plan, cores, gpus, slowest.exchanges));
  } catch (const std::exception& error) {
    log(LogLevel::debug, fmt::format("a slow path is not described: {}", error.what()));
  }
}

}  // namespace halocline
