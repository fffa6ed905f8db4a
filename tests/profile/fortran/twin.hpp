// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

namespace twin {

extern int rank, size, next, previous;
extern std::vector<int> out, in;
/// rank + 1 elements for each rank, one behind the other; and what comes of it.
extern std::vector<int> counts, offsets, same, apart;

void collectives();
void neighbourhoods();
void one_sided();

}  // namespace twin

/// Memory that stands for a device's, or no longer. Nothing happens where nobody counts.
extern "C" void declare_device_memory(const void* begin, int bytes, int present);
