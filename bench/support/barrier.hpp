// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/communicator.hpp"

namespace halocline::bench {

/// The barrier before a timed exchange. Communicator::barrier backs off while it waits, which makes ranks leave it some
/// ten microseconds apart; this one is MPI_Barrier itself where there is MPI, as codes and papers time exchanges.
void start_together(comm::Communicator& world);

}  // namespace halocline::bench
