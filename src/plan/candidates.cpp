// SPDX-License-Identifier: BSD-3-Clause
// Ways to cut a domain, side by side.
#include <algorithm>
#include <tuple>
#include <utility>

#include "halocline/error.hpp"
#include "plan/cut.hpp"

namespace halocline {
namespace {

using partition::Method;

bool same_grids(const partition::Partition& a, const partition::Partition& b) {
  return a.node_grid() == b.node_grid() && a.device_grid() == b.device_grid();
}

/// Notes at the candidate that a method chooses that it does.
void mark(std::vector<Candidate>& all, Method method, partition::Request cut) {
  cut.method = method;
  try {
    const partition::Partition chosen = partition::make_partition(cut);
    for (Candidate& candidate : all) {
      if (same_grids(candidate.partition, chosen)) candidate.methods.push_back(method);
    }
  } catch (const InvalidArgument&) {
    // Its grid does not fit.
  }
}

/// What candidates are ordered by.
std::tuple<std::int64_t, std::int64_t> cost_of(const Candidate& candidate) {
  if (candidate.prediction) return {candidate.prediction->picoseconds, 0};
  return {candidate.traffic.off_node, candidate.traffic.most_sent};
}

}  // namespace

Candidates candidates(const PlanRequest& asked) {
  PlanRequest request = asked;
  request.cuts.reset();
  request.placement = {};
  partition::Request cut = cut_of(request);
  cut.node_grid.reset();
  cut.device_grid.reset();
  cut.weights.clear();
  const model::Predictor predictor(request.machine, request.tuning);
  Candidates found{{}, predictor.why_not()};
  for (partition::Partition& parts : partition::candidate_partitions(cut)) {
    const partition::Geometry geometry = geometry_of(request, parts);
    Candidate candidate{std::move(parts), model::traffic_of(geometry), {}, {}};
    if (predictor.why_not().empty()) candidate.prediction = predictor.predict(geometry);
    found.list.push_back(std::move(candidate));
  }
  // Until they are sorted, the first is the grid of exact.
  if (!predictor.why_not().empty()) found.list.front().methods.push_back(Method::fastest);
  std::ranges::stable_sort(found.list, {}, cost_of);
  if (predictor.why_not().empty()) found.list.front().methods.push_back(Method::fastest);
  for (const Method method : {Method::exact, Method::bisection, Method::z_order}) mark(found.list, method, cut);
  return found;
}

}  // namespace halocline
