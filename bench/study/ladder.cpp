// SPDX-License-Identifier: BSD-3-Clause
#include "study/ladder.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "halocline/error.hpp"

namespace halocline::bench {
namespace {

using routing::Transport;

Rung rung(std::string name, std::vector<Transport> special, bool cuda_aware) {
  Rung made{std::move(name), {}};
  made.policy.order = std::move(special);
  if (cuda_aware) made.policy.order.push_back(Transport::mpi_device);
  made.policy.order.push_back(Transport::mpi_staged);
  // What is studied is the capability that is allowed, not the best choice.
  made.policy.use_measurements = false;
  return made;
}

bool meant_for(Transport transport, const Relation& relation) {
  switch (transport) {
    case Transport::self: return relation.same_subdomain;
    case Transport::peer_copy: return relation.same_rank;
    case Transport::ipc_copy: return relation.same_node && !relation.same_rank;
    case Transport::direct: return relation.same_node;
    case Transport::mpi_device:
    case Transport::mpi_staged: return true;
    case Transport::net:
    case Transport::nccl: return false;  // none of the papers' methods
  }
  return false;
}

}  // namespace

std::vector<Rung> ladder(bool cuda_aware) {
  using enum Transport;
  return {rung("+remote", {}, cuda_aware), rung("+colo", {ipc_copy}, cuda_aware),
          rung("+peer", {peer_copy, ipc_copy}, cuda_aware), rung("+self", {self, peer_copy, ipc_copy}, cuda_aware),
          rung("+direct", {self, direct, peer_copy, ipc_copy}, cuda_aware)};
}

std::vector<Rung> ladder(bool cuda_aware, const std::vector<std::string>& names) {
  std::vector<Rung> all = ladder(cuda_aware);
  if (names.empty()) return all;
  for (const auto& name : names) {
    if (std::none_of(all.begin(), all.end(), [&](const Rung& r) { return r.name == name; })) {
      std::string allowed;
      for (const auto& r : all) allowed += (allowed.empty() ? "" : ", ") + r.name;
      throw InvalidArgument(fmt::format("--config is '{}'; allowed are {}", name, allowed));
    }
  }
  std::erase_if(all, [&](const Rung& r) { return std::find(names.begin(), names.end(), r.name) == names.end(); });
  return all;
}

std::vector<Transport> asked_for(const routing::Policy& policy, const Relation& relation) {
  std::vector<Transport> asked;
  for (const Transport transport : policy.order) {
    if (!meant_for(transport, relation)) continue;
    asked.push_back(transport);
    if (transport != Transport::mpi_device || !relation.same_rank) break;
  }
  return asked;
}

}  // namespace halocline::bench
