// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "exchange/transport/endpoint.hpp"

namespace halocline::exchange {

struct BundleSite;

/// The ends of a channel that are on this rank. channel and context must outlive them.
[[nodiscard]] Ends make_ends(const Channel& channel, Context& context, rank_id me);

/// The same for the channels of a bundle that have an end on this rank.
[[nodiscard]] std::vector<std::pair<const Channel*, Ends>> make_bundled(const BundleSite& site, Context& context,
                                                                        rank_id me);

// One function for each transport, defined in the file of that name.
[[nodiscard]] Ends make_self(const Channel& channel, Context& context);
[[nodiscard]] Ends make_peer_copy(const Channel& channel, Context& context);
[[nodiscard]] Ends make_ipc_copy(const Channel& channel, Context& context, bool sends, bool receives);
[[nodiscard]] Ends make_direct(const Channel& channel, Context& context, bool sends, bool receives);
[[nodiscard]] Ends make_mpi_staged(const Channel& channel, Context& context, bool sends, bool receives);
[[nodiscard]] Ends make_mpi_device(const Channel& channel, Context& context, bool sends, bool receives);
[[nodiscard]] Ends make_net(const Channel& channel, Context& context, bool sends, bool receives);
[[nodiscard]] Ends make_nccl(const Channel& channel, Context& context, bool sends, bool receives);

}  // namespace halocline::exchange
