// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "halocline/routing.hpp"

namespace halocline::test {

/// Each transport between ranks, with exchanges that are started one by one or replayed.
inline const auto all_ways =
    testing::Combine(testing::Values(routing::Transport::direct, routing::Transport::ipc_copy,
                                     routing::Transport::mpi_device, routing::Transport::mpi_staged),
                     testing::Bool());
inline const auto named = [](const auto& param) {
  return std::string(routing::to_string(std::get<0>(param.param))) + (std::get<1>(param.param) ? "_replayed" : "");
};

}  // namespace halocline::test
