// SPDX-License-Identifier: BSD-3-Clause
#include "model/simulation/ranks.hpp"

#include <fmt/core.h>

#include <cmath>

namespace halocline::model::simulation {
namespace {

constexpr double nano = 1e9;

}  // namespace

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
  flow.resources = {position(Use::core, rank, nano)};
  flow.work = true;
  return flow;
}

/// At most `bandwidth` for this use; with one core, the share of its time that this is.
void Ranks::limit(Flow& flow, Use use, rank_id rank, double bandwidth) {
  if (bandwidth == 0) return;
  if (software_.one_core) {
    flow.resources.push_back(position(Use::core, rank, nano));
    flow.weights.push_back(nano / bandwidth);
  } else {
    flow.resources.push_back(position(use, rank, bandwidth));
    flow.weights.push_back(1);
  }
}

int Ranks::position(Use use, rank_id rank, double bandwidth) {
  const auto [found, is_new] = uses_.try_emplace({use, rank}, static_cast<int>(resources.size()));
  if (is_new) {
    constexpr const char* names[] = {"rank {} copies", "rank {} sends", "rank {} receives", "core of rank {}"};
    resources.push_back({fmt::format(fmt::runtime(names[static_cast<int>(use)]), rank.value()), bandwidth,
                         use == Use::core ? "core" : "rank"});
  }
  return found->second;
}

}  // namespace halocline::model::simulation
