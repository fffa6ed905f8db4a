// SPDX-License-Identifier: BSD-3-Clause
#include "device/host.hpp"
#include "device/launch_threads.hpp"
#include "unit/device/backend_contract.hpp"

namespace halocline::device::test {
namespace {

BackendFactory host(const std::string& name, int workers, bool always_remap,
                    std::optional<std::int64_t> one_operation_below_bytes = std::nullopt) {
  return {name, [=] {
            HostOptions options;
            options.devices = 2;
            options.workers = workers;
            options.always_remap = always_remap;
            options.one_operation_below_bytes = one_operation_below_bytes;
            return make_host_backend(options);
          }};
}

/// The same with a launch thread for each device.
BackendFactory launched(const std::string& name, int workers) {
  BackendFactory inner = host(name, workers, false);
  return {name, [make = inner.make] { return with_launch_threads(make()); }};
}

INSTANTIATE_TEST_SUITE_P(LaunchThreads, BackendContract,
                         ::testing::Values(launched("OneWorker", 1), launched("ThreeWorkers", 3)),
                         [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(Host, BackendContract,
                         ::testing::Values(host("OneWorker", 1, false), host("ThreeWorkers", 3, false),
                                           host("Remapped", 2, true), host("StreamsForParts", 2, false, 0)),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace halocline::device::test
