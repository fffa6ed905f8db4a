// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

namespace twin {

extern int rank, size, next, previous;
extern std::vector<int> out, in;
/// rank + 1 elements for each rank, contiguous; and the result.
extern std::vector<int> counts, offsets, same, apart;

void collectives();
void neighbourhoods();
void one_sided();

}  // namespace twin

/// Marks memory as a device's, or no longer. No effect without the profiling library.
extern "C" void declare_device_memory(const void* begin, int bytes, int present);
