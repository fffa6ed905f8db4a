// SPDX-License-Identifier: BSD-3-Clause
#include "model/simulation/ranks.hpp"

#include <fmt/core.h>

#include <cmath>
#include <vector>

namespace halocline::model::simulation {
namespace {

constexpr double nano = 1e9;

}  // namespace

Ranks::Ranks(const machine::MachineMap& map) : Ranks(map.software) {
  std::map<std::int64_t, std::vector<std::int64_t>> of_node;
  for (std::size_t r = 0; r < map.ranks.size(); ++r) {
    of_node[map.ranks[r].node.value()].push_back(static_cast<std::int64_t>(r));
  }
  for (const auto& [node, ranks] : of_node) {
    const std::int64_t cores = map.type_of(node_id(node)).core_count();
    if (cores == 0 || std::ssize(ranks) <= cores) continue;
    for (const std::int64_t rank : ranks) sharing_[rank] = {node, static_cast<double>(cores)};
  }
}

void Ranks::copies(Flow& flow, rank_id from, rank_id to) {
  limit(flow, Use::copy, from, software_.mpi_copy);
  if (from != to) limit(flow, Use::copy, to, software_.mpi_copy);
}

void Ranks::injects(Flow& flow, rank_id from, rank_id to) {
  limit(flow, Use::send, from, software_.mpi_injection);
  limit(flow, Use::receive, to, software_.mpi_injection);
}

Flow Ranks::work(rank_id rank, double seconds) {
  Flow flow;
  flow.bytes = std::llround(nano * seconds);
  take_core(flow, rank, 1);
  flow.work = true;
  return flow;
}

/// At most `bandwidth` for this use; with one core, the share of its time that this is.
void Ranks::limit(Flow& flow, Use use, rank_id rank, double bandwidth) {
  if (bandwidth == 0) return;
  if (software_.one_core) {
    take_core(flow, rank, nano / bandwidth);
  } else {
    flow.resources.push_back(position(use, rank.value(), bandwidth));
    flow.weights.push_back(1);
  }
}

void Ranks::take_core(Flow& flow, rank_id rank, double weight) {
  flow.resources.push_back(position(Use::core, rank.value(), nano));
  flow.weights.push_back(weight);
  const auto shared = sharing_.find(rank.value());
  if (shared == sharing_.end()) return;
  flow.resources.push_back(position(Use::cores, shared->second.node, nano * shared->second.cores));
  flow.weights.push_back(weight);
}

int Ranks::position(Use use, std::int64_t number, double bandwidth) {
  const auto [found, is_new] = uses_.try_emplace({use, number}, static_cast<int>(resources.size()));
  if (is_new) {
    constexpr const char* names[] = {"rank {} copies", "rank {} sends", "rank {} receives", "core of rank {}",
                                     "cores of node {}"};
    const bool is_core = use == Use::core || use == Use::cores;
    resources.push_back(
        {fmt::format(fmt::runtime(names[static_cast<int>(use)]), number), bandwidth, is_core ? "core" : "rank"});
  }
  return found->second;
}

}  // namespace halocline::model::simulation
