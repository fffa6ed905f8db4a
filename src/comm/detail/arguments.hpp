// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <string_view>

#include "comm/rank_group.hpp"

namespace halocline::comm {

/// One past the largest tag; MPI grants every tag up to 32767.
inline constexpr int tag_end = 32768;

/// Throws InvalidArgument with the value and what is allowed.
inline void check_rank(const RankGroup& comm, rank_id rank, std::string_view operation) {
  if (rank.value() < 0 || rank.value() >= comm.size()) {
    throw InvalidArgument(fmt::format("{}: rank is {}; allowed is 0 to {}", operation, rank.value(), comm.size() - 1));
  }
}

inline void check_tag(int tag, std::string_view operation) {
  if (tag < 0 || tag >= tag_end) {
    throw InvalidArgument(fmt::format("{}: tag is {}; allowed is 0 to {}", operation, tag, tag_end - 1));
  }
}

/// Called with the arguments of all ranks, so that all throw the same error.
inline void check_colour(int colour, std::size_t rank) {
  if (colour < 0) {
    throw InvalidArgument(fmt::format("rank {}: split: colour is {}; allowed is 0 or more", rank, colour));
  }
}

inline void check_ranks_per_node(std::int64_t ranks_per_node, std::size_t rank) {
  if (ranks_per_node < 1) {
    throw InvalidArgument(fmt::format("rank {}: ranks per node is {}; allowed is 1 or more", rank, ranks_per_node));
  }
}

/// "barrier (rank 2 of 4, timeout 0.5 s)", for errors of waits.
inline std::string describe(const RankGroup& comm, std::string_view operation) {
  return fmt::format("{} (rank {} of {}, timeout {} s)", operation, comm.rank().value(), comm.size(),
                     std::chrono::duration<double>(comm.timeout()).count());
}

}  // namespace halocline::comm
