#include "unit/device/backend_contract.hpp"

namespace halocline::device::test {
namespace {

BackendFactory host(const std::string& name, int workers, bool always_remap) {
  return {name, [=] {
            HostOptions options;
            options.devices = 2;
            options.workers = workers;
            options.always_remap = always_remap;
            return make_host_backend(options);
          }};
}

INSTANTIATE_TEST_SUITE_P(Host, BackendContract,
                         ::testing::Values(host("OneWorker", 1, false), host("ThreeWorkers", 3, false),
                                           host("Remapped", 2, true)),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace halocline::device::test
