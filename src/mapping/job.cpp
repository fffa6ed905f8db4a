// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/job.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/at.hpp"
#include "halocline/error.hpp"
#include "mapping/detail/machine_view.hpp"
#include "mapping/mappers/mappers.hpp"

namespace halocline::mapping {
namespace {

/// What some processes exchange among themselves, under new numbers.
CommunicationMatrix among(const CommunicationMatrix& matrix, const std::vector<int>& processes) {
  CommunicationMatrix part(static_cast<int>(processes.size()));
  for (std::size_t from = 0; from < processes.size(); ++from) {
    for (const Flow& flow : matrix.row(processes[from])) {
      const auto to = std::ranges::lower_bound(processes, flow.to);
      if (to == processes.end() || *to != flow.to) continue;
      part.add(static_cast<int>(from), static_cast<int>(to - processes.begin()), flow.bytes, flow.messages);
    }
  }
  return part;
}

/// The GPUs of a node by how many of its processes each takes: evenly, the lower-numbered ones one more.
std::vector<int> shares(const FreeParts& parts, int devices, int processes) {
  std::vector<int> capacity(at(devices), 0);
  const int free = static_cast<int>(parts.devices.size());
  for (int i = 0; i < free; ++i) {
    capacity[at(parts.devices[at(i)])] = processes <= free ? 1 : processes / free + (i < processes % free ? 1 : 0);
  }
  return capacity;
}

struct Plan {
  Strategy strategy;
  PhaseMappers mappers;
};

class Planner {
 public:
  explicit Planner(const JobRequest& request)
      : request_(request),
        view_(*request.machine),
        processes_((request.cpu != nullptr ? request.cpu : request.gpu)->ranks()),
        cpu_(request.cpu != nullptr ? *request.cpu : CommunicationMatrix(processes_)),
        gpu_(request.gpu != nullptr ? *request.gpu : CommunicationMatrix(processes_)),
        combined_(cpu_),
        free_(parts_for(request)),
        capacity_(node_capacities(*request.machine, free_, processes_)) {
    combined_ += gpu_;
  }

  /// The first phase.
  std::vector<int> nodes(const Plan& plan) {
    if (plan.strategy == Strategy::best) return best_nodes();
    const bool cpu_alone = plan.strategy == Strategy::strategy1 || plan.strategy == Strategy::strategy2;
    return nodes(plan.mappers.nodes, cpu_alone ? cpu_ : combined_);
  }

  /// Of seats on these nodes, the congestion in each place of the order from the largest is this one or more: the network's alone.
  [[nodiscard]] std::vector<double> least_congestions(const std::vector<int>& node_of) const {
    // GPUs of one rack may have links of their own.
    const bool racks = std::ranges::any_of(view_.map().nodes, [](const auto& node) { return node.rack >= 0; });
    return sorted_congestions({racks ? &cpu_ : &combined_, &view_.network(), capacity_}, node_of);
  }

  /// The second and the third one.
  std::vector<Seat> seats(const Plan& plan, const std::vector<int>& node_of) {
    std::vector<Seat> seats(at(processes_));
    std::vector<std::vector<int>> of_node(capacity_.size());
    for (int p = 0; p < processes_; ++p) of_node[at(node_of[at(p)])].push_back(p);
    for (int node = 0; node < static_cast<int>(of_node.size()); ++node) {
      const auto& local = of_node[at(node)];
      if (local.empty()) continue;
      const auto cores = place_cores(plan.mappers.cores, node, local);
      const auto devices = place_devices(plan.mappers.devices, node, local);
      for (std::size_t i = 0; i < local.size(); ++i) {
        seats[at(local[i])] = {node, cores[i], devices.empty() ? -1 : devices[i]};
      }
    }
    return seats;
  }

  /// Bytes over bandwidth of all channels, from the largest.
  [[nodiscard]] std::vector<double> congestions(const std::vector<Seat>& seats) const {
    std::vector<std::int64_t> loads(view_.channels().size(), 0);
    view_.add_loads(cpu_, Processor::cpu, seats, loads);
    view_.add_loads(gpu_, Processor::gpu, seats, loads);
    std::vector<double> sorted;
    for (std::size_t c = 0; c < loads.size(); ++c) {
      if (loads[c] > 0) sorted.push_back(static_cast<double>(loads[c]) / view_.channels()[c].bandwidth);
    }
    std::ranges::sort(sorted, std::greater<>{});
    return sorted;
  }

 private:
  const std::vector<int>& nodes(Mapper mapper, const CommunicationMatrix& matrix) {
    auto& known = nodes_[{mapper, &matrix}];
    if (!known.empty()) return known;
    const MappingProblem problem{&matrix, &view_.network(), capacity_};
    known = detail::map_with(mapper, problem, request_.effort, [&](Mapper one) { return nodes(one, matrix); });
    return known;
  }

  /// `congestion`, and what is good for one of the two kinds of traffic, refined for both.
  std::vector<int> best_nodes() {
    const MappingProblem problem{&combined_, &view_.network(), capacity_};
    std::vector<int> best = nodes(Mapper::congestion, combined_);
    auto least = sorted_congestions(problem, best);
    std::vector<std::vector<int>> known{nodes(Mapper::partition, combined_)};  // `congestion` starts from it, too
    for (const CommunicationMatrix* one : {&cpu_, &gpu_}) {
      const std::vector<int>& start = nodes(Mapper::partition, *one);
      if (std::ranges::find(known, start) != known.end()) continue;
      known.push_back(start);
      auto refined = refine(problem, start, request_.effort);
      auto congestions = sorted_congestions(problem, refined);
      if (least <= congestions) continue;
      best = std::move(refined);
      least = std::move(congestions);
    }
    return best;
  }

  std::vector<int> place_cores(Mapper mapper, int node, const std::vector<int>& local) {
    const Topology& topology = view_.cores(node);
    std::vector<int> capacity(at(topology.places()), 0);
    for (const int core : free_[at(node)].cores) capacity[at(core)] = 1;
    return place(mapper, topology, among(cpu_, local), capacity);
  }

  std::vector<int> place_devices(Mapper mapper, int node, const std::vector<int>& local) {
    if (free_[at(node)].devices.empty()) return {};
    const Topology& topology = view_.devices(node);
    return place(mapper, topology, among(gpu_, local),
                 shares(free_[at(node)], topology.places(), static_cast<int>(local.size())));
  }

  /// Equal nodes, with processes that exchange in the same way, are solved once.
  const std::vector<int>& place(Mapper mapper, const Topology& topology, const CommunicationMatrix& matrix,
                                const std::vector<int>& capacity) {
    std::vector<std::int64_t> key(capacity.begin(), capacity.end());
    for (int from = 0; from < matrix.ranks(); ++from) {
      key.push_back(-1);
      for (const Flow& flow : matrix.row(from)) key.insert(key.end(), {flow.to, flow.bytes, flow.messages});
    }
    auto& known = placed_[{mapper, &topology, std::move(key)}];
    if (!known.empty()) return known;
    const MappingProblem problem{&matrix, &topology, capacity};
    const Effort effort = effort_of(matrix.ranks());
    known =
        detail::map_with(mapper, problem, effort, [&](Mapper one) { return place(one, topology, matrix, capacity); });
    return known;
  }

  /// A node's share of the trials, as there are many nodes.
  [[nodiscard]] Effort effort_of(int processes) const {
    Effort effort = request_.effort;
    effort.trials = effort.trials * processes / processes_;
    effort.together = true;
    return effort;
  }

  const JobRequest& request_;
  MachineView view_;
  int processes_;
  CommunicationMatrix cpu_;
  CommunicationMatrix gpu_;
  CommunicationMatrix combined_;
  std::vector<FreeParts> free_;
  std::vector<int> capacity_;
  std::map<std::tuple<Mapper, const CommunicationMatrix*>, std::vector<int>> nodes_;
  std::map<std::tuple<Mapper, const Topology*, std::vector<std::int64_t>>, std::vector<int>> placed_;
};

PhaseMappers all_of(Mapper mapper) { return {mapper, mapper, mapper}; }

Plan plan_of(Strategy strategy, PhaseMappers mappers) {
  if (strategy == Strategy::in_order) mappers = all_of(Mapper::in_order);
  if (strategy == Strategy::strategy2) mappers.devices = Mapper::in_order;
  return {strategy, mappers};
}

/// What `best` chooses among. The first of equals counts.
std::vector<Plan> contenders() {
  std::vector<Plan> plans{{Strategy::best, all_of(Mapper::congestion)}, plan_of(Strategy::in_order, {})};
  std::vector<Mapper> inside{Mapper::greedy};
  if (have_scotch()) inside.push_back(Mapper::scotch);
  for (const Strategy strategy : {Strategy::magc, Strategy::strategy1, Strategy::strategy2}) {
    for (const Mapper mapper : inside) plans.push_back(plan_of(strategy, {Mapper::partition, mapper, mapper}));
  }
  return plans;
}

void check(const JobRequest& request) {
  if (request.cpu == nullptr && request.gpu == nullptr) {
    throw InvalidArgument("no communication matrix is given; allowed is one of CPUs, one of GPUs, or both");
  }
  if (request.cpu != nullptr && request.gpu != nullptr && request.cpu->ranks() != request.gpu->ranks()) {
    throw InvalidArgument(fmt::format("the matrix of CPUs has {} ranks, that of GPUs {}; allowed is the same number",
                                      request.cpu->ranks(), request.gpu->ranks()));
  }
}

/// Whether what has these congestions or larger ones, position by position, compares as worse. The congestions of `best` end before those of 0.
bool is_worse(const std::vector<double>& at_least, const std::vector<double>& best) {
  for (std::size_t i = 0; i < at_least.size(); ++i) {
    const double other = i < best.size() ? best[i] : 0;
    if (at_least[i] != other) return at_least[i] > other;
  }
  return false;
}

int most_sharing(const std::vector<Seat>& seats) {
  std::map<std::pair<int, int>, int> users;
  int most = 0;
  for (const Seat& seat : seats) {
    if (seat.device >= 0) most = std::max(most, ++users[{seat.node, seat.device}]);
  }
  return most;
}

}  // namespace

std::string_view to_string(Strategy strategy) {
  switch (strategy) {
    case Strategy::best: return "best";
    case Strategy::magc: return "magc";
    case Strategy::strategy1: return "strategy1";
    case Strategy::strategy2: return "strategy2";
    case Strategy::in_order: return "default";
  }
  throw InternalError("a Strategy without a name");
}

JobMapping map_job(const JobRequest& request) {
  check(request);
  Planner planner(request);
  JobMapping mapping;
  mapping.found_by = request.strategy;
  if (request.strategy != Strategy::best) {
    const Plan plan = plan_of(request.strategy, request.mappers);
    mapping.seats = planner.seats(plan, planner.nodes(plan));
  } else {
    std::vector<double> least;
    for (const Plan& plan : contenders()) {
      const std::vector<int> node_of = planner.nodes(plan);
      if (!mapping.seats.empty() && (least.empty() || is_worse(planner.least_congestions(node_of), least))) continue;
      auto seats = planner.seats(plan, node_of);
      auto congestions = planner.congestions(seats);
      if (!mapping.seats.empty() && least <= congestions) continue;
      least = std::move(congestions);
      mapping.seats = std::move(seats);
      mapping.found_by = plan.strategy;
    }
  }
  mapping.most_sharing = most_sharing(mapping.seats);
  std::set<int> nodes;
  for (const Seat& seat : mapping.seats) nodes.insert(seat.node);
  mapping.nodes = static_cast<int>(nodes.size());
  return mapping;
}

}  // namespace halocline::mapping
