// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "comm/in_step.hpp"
#include "comm/rank_group.hpp"
#include "core/serialise.hpp"

namespace halocline::comm {

/// Collective: returns the values of all ranks, by rank. T is any type that core/serialise.hpp supports. An error poisons the group.
template <typename T>
[[nodiscard]] std::vector<T> gather(RankGroup& comm, const T& mine) {
  return in_step(comm, [&] {
    std::vector<T> all;
    for (const auto& bytes : comm.all_gather(to_bytes(mine))) all.push_back(from_bytes<T>(bytes));
    return all;
  });
}

/// Collective: a trivially copyable value of each rank, by rank. The type is the same on all ranks.
template <typename T>
[[nodiscard]] std::vector<T> gather_value(RankGroup& comm, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  return in_step(comm, [&] {
    std::vector<T> all;
    for (const auto& bytes : comm.all_gather(std::as_bytes(std::span<const T, 1>(&mine, 1)))) {
      if (bytes.size() != sizeof(T)) throw InternalError("gather_value: a rank gave another type");
      T one;
      std::memcpy(&one, bytes.data(), sizeof one);
      all.push_back(one);
    }
    return all;
  });
}

}  // namespace halocline::comm
