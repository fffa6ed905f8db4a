// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <functional>
#include <string>

namespace halocline::exchange {

/// The paths in what ucp_ep_print_info, or another function, prints about an endpoint: "tcp/eth0, sysv/memory". Only in builds with UCX.
[[nodiscard]] std::string ucx_paths(const std::function<void(std::FILE*)>& print);

}  // namespace halocline::exchange
