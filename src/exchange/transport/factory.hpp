// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/transport/endpoint.hpp"

namespace halocline::exchange {

/// The ends of a channel that are on this rank. channel and context must outlive them.
[[nodiscard]] Ends make_ends(const Channel& channel, Context& context, rank_id me);

/// The same for several channels of mpi_staged from one rank to another, which travel as one message of MPI; in their order, which is
/// the same at both ends.
[[nodiscard]] std::vector<Ends> make_bundled(const std::vector<const Channel*>& channels, Context& context, rank_id me);

// One function for each transport, defined in the file of that name.
[[nodiscard]] Ends make_self(const Channel& channel, Context& context);
[[nodiscard]] Ends make_peer_copy(const Channel& channel, Context& context);
[[nodiscard]] Ends make_ipc_copy(const Channel& channel, Context& context, bool sends, bool receives);
[[nodiscard]] Ends make_direct(const Channel& channel, Context& context, bool sends, bool receives);
[[nodiscard]] Ends make_mpi_staged(const Channel& channel, Context& context, bool sends, bool receives);
[[nodiscard]] Ends make_mpi_device(const Channel& channel, Context& context, bool sends, bool receives);

}  // namespace halocline::exchange
