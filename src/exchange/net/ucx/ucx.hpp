// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "comm/rank_group.hpp"
#include "exchange/net/messages.hpp"
#include "exchange/ucx_usable.hpp"

namespace halocline::exchange::net {

/// Messages by UCX, whose transports UCX_TLS and other variables of UCX choose. They need no MPI, so that any thread may move them
/// whatever the thread level of MPI. Collective; UCX is usable on all ranks. group: for set-up and close().
[[nodiscard]] std::unique_ptr<Messages> make_ucx_messages(std::unique_ptr<comm::RankGroup> group);

}  // namespace halocline::exchange::net
