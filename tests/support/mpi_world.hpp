// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "comm/rank_group.hpp"

namespace halocline::test {

/// All ranks of a program with mpi_main.cpp; valid while its cases run. Cases must not poison or close it.
[[nodiscard]] comm::RankGroup& mpi_world();

}  // namespace halocline::test
