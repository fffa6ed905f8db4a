// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/session.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace halocline::python {

/// Ranks that share a store of Python's.
struct StoreRanks {
  std::shared_ptr<comm::Store> store;
  std::string name;
  int rank = 0;
  int size = 1;

  /// set(key: str, value: bytes) and take(key: str) -> bytes | None, as comm::Store has them.
  StoreRanks(nanobind::object set, nanobind::object take, std::string of_ranks, int mine, int all);
};

/// The ranks of a domain: the Fortran handle of a communicator of MPI, or ranks that share a store; nothing for one process.
using Ranks = std::optional<std::variant<std::int64_t, StoreRanks>>;

/// Collective for a communicator of MPI, of which it makes a duplicate.
[[nodiscard]] comm::Communicator communicator_of(const std::variant<std::int64_t, StoreRanks>& ranks, Duration timeout);

}  // namespace halocline::python
