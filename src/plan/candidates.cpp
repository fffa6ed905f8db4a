// SPDX-License-Identifier: BSD-3-Clause
// Ways to cut a domain, side by side.
#include <algorithm>
#include <tuple>
#include <utility>

#include "halocline/error.hpp"
#include "plan/cut.hpp"
#include "plan/detail/joint.hpp"
#include "plan/detail/known_times.hpp"

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

/// Notes at the candidate of `automatic` that no other method chooses it.
void mark_automatic(std::vector<Candidate>& all, PlanRequest request) {
  request.partition = Method::automatic;
  request.node_grid.reset();
  request.device_grid.reset();
  request.weights.clear();
  request.placement = {};
  const Cut chosen = cut_for_steps(request);
  if (chosen.partition != Method::automatic) return;
  for (Candidate& candidate : all) {
    if (same_grids(candidate.partition, chosen.geometry.partition)) candidate.methods.push_back(Method::automatic);
  }
}

/// What candidates are ordered by.
std::tuple<int, std::int64_t, std::int64_t> cost_of(const Candidate& candidate) {
  if (candidate.together) return {0, *candidate.together, candidate.simulated ? 0 : 1};
  if (candidate.prediction) return {1, candidate.prediction->picoseconds, 0};
  return {1, candidate.traffic.off_node, candidate.traffic.most_sent};
}

/// Candidates in the order in which partition::candidate_partitions() has them.
void judge(Candidates& found, const PlanRequest& request) {
  found.why_not_predicted.clear();
  std::vector<partition::Partition> partitions;
  for (const Candidate& candidate : found.list) partitions.push_back(candidate.partition);
  const Joint joint = judge_together(request, partitions);
  for (std::size_t g = 0; g < joint.grids.size(); ++g) {
    const JudgedGrid& grid = joint.grids[g];
    Candidate& candidate = found.list[g];
    candidate.simulated = grid.simulated.has_value();
    candidate.together = grid.simulated.value_or(grid.at_least);
    if (same_grids(candidate.partition, joint.partition)) candidate.methods.push_back(Method::fastest);
  }
}

}  // namespace

Candidates candidates(const PlanRequest& asked) {
  PlanRequest request = asked;
  request.cuts.reset();
  request.placement.owners.clear();
  placement::Method& place = request.placement.method;
  const bool searched =
      place == placement::Method::given || place == placement::Method::system || place == placement::Method::automatic;
  if (searched) place = placement::Method::fastest;
  partition::Request cut = cut_of(request);
  cut.node_grid.reset();
  cut.device_grid.reset();
  cut.weights.clear();
  const model::Predictor predictor = predictor_of(request);
  const std::vector<node_id> nodes = placement::nodes_of(placement::slots_of(request.machine));
  Candidates found{.list = {},
                   .why_not_predicted = why_not_predicted(request),
                   .origin = {},
                   .together = why_not_judged(request).empty() && simulates_grids(request, links_are_unequal(request))};
  if (!found.together) found.origin = origin_of_rates(request);
  const bool predicted = found.why_not_predicted.empty();
  for (const partition::Partition& parts : partition::candidate_partitions(cut)) {
    const partition::Geometry geometry = geometry_of(request, parts);
    Candidate candidate{
        .partition = parts,
        .traffic = parts.nodes() == 1 ? model::traffic_of(geometry, nodes) : model::traffic_of(geometry),
        .prediction = {},
        .together = {},
        .methods = {}};
    if (predicted) candidate.prediction = predictor.predict(geometry);
    found.list.push_back(std::move(candidate));
  }
  if (found.together) {
    judge(found, request);
  } else if (!predicted) {
    found.list.front().methods.push_back(Method::fastest);  // the grid of exact, until they are sorted
  }
  std::ranges::stable_sort(found.list, {}, cost_of);
  if (!found.together && predicted) found.list.front().methods.push_back(Method::fastest);
  for (const Method method : {Method::exact, Method::bisection, Method::z_order}) mark(found.list, method, cut);
  if (!found.together && predicted) mark_automatic(found.list, request);
  return found;
}

}  // namespace halocline
