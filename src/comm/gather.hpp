// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "core/serialise.hpp"
#include "halocline/communicator.hpp"

namespace halocline::comm {

/// Collective: the values of all ranks, by rank, of any type that core/serialise.hpp takes.
template <typename T>
[[nodiscard]] std::vector<T> gather(Communicator& comm, const T& mine) {
  std::vector<T> all;
  for (const auto& bytes : comm.all_gather(to_bytes(mine))) all.push_back(from_bytes<T>(bytes));
  return all;
}

}  // namespace halocline::comm
