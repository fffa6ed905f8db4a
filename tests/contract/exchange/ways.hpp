// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "halocline/routing.hpp"

namespace halocline::test {

/// All transports but the given ones.
inline std::vector<routing::Transport> transports_without(std::vector<routing::Transport> left_out) {
  std::vector<routing::Transport> transports;
  std::ranges::copy_if(routing::all_transports, std::back_inserter(transports),
                       [&](routing::Transport transport) { return std::ranges::count(left_out, transport) == 0; });
  return transports;
}
/// The transports between subdomains of different ranks.
inline std::vector<routing::Transport> transports_between_ranks() {
  return transports_without({routing::Transport::self, routing::Transport::peer_copy});
}
inline bool is_by_mpi(routing::Transport transport) { return routing::to_string(transport).starts_with("mpi_"); }

/// Each transport between ranks, with exchanges that are started one by one or replayed.
inline const auto all_ways = testing::Combine(testing::ValuesIn(transports_between_ranks()), testing::Bool());
inline const auto named = [](const auto& param) {
  return std::string(routing::to_string(std::get<0>(param.param))) + (std::get<1>(param.param) ? "_replayed" : "");
};

}  // namespace halocline::test
