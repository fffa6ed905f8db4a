// SPDX-License-Identifier: BSD-3-Clause
// Ports of net on GPUs; two participants share one if there is one only.
#include <algorithm>

#include "contract/exchange/net_ports.hpp"
#include "gpu/exchange/gpus.hpp"

namespace halocline::test {
namespace {

Ported on_gpus(Kind kind, std::string name) {
  return {kind, std::move(name), [] { return gpus_of_rank(0, std::min(gpu_count(), 2)); },
          [] { return std::string(gpu_count() > 0 ? "" : "needs 1 GPU, sees 0"); }};
}

INSTANTIATE_TEST_SUITE_P(Gpu, NetPorts, testing::Values(on_gpus(Kind::proxy, "proxy"), on_gpus(Kind::free, "free")),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace halocline::test
