// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "mapping/communication_matrix.hpp"

/// A profiled program's calls and their expected counts: each case makes its calls, and adds what all ranks send.
namespace profiled {

/// The same on every rank.
extern halocline::mapping::Communication expected;
extern int rank;
extern int size;

/// One message on the CPU.
void expect(int from, int to, std::int64_t bytes, std::int64_t messages = 1);
void expect_gpu(int from, int to, std::int64_t bytes, std::int64_t messages = 1);
[[nodiscard]] inline int next(int of = rank) { return (of + 1) % size; }
[[nodiscard]] inline int previous(int of = rank) { return (of + size - 1) % size; }
/// From every rank to the next.
void expect_ring(std::int64_t bytes, std::int64_t messages = 1);

void collectives();
void nonblocking_collectives();
void between_groups();
void neighbourhoods();
void one_sided();

}  // namespace profiled
