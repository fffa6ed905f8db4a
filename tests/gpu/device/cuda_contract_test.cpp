// SPDX-License-Identifier: BSD-3-Clause
// The contract of every backend, on two GPUs.
#include "device/cuda_backend.hpp"
#include "gpu/device/gpus.hpp"
#include "unit/device/backend_contract.hpp"

namespace halocline::device::test {
namespace {

BackendFactory two_gpus() {
  BackendFactory factory;
  factory.name = "TwoGpus";
  factory.make = [] {
    CudaOptions options;
    options.devices = {0, 1};
    return make_cuda_backend(options);
  };
  factory.failure_is_contained = false;
  factory.missing = [] { return missing_gpus(2); };
  return factory;
}

/// Memory that other processes map is virtual.
BackendFactory two_gpus_by_descriptors() {
  BackendFactory factory = two_gpus();
  factory.name = "TwoGpusByDescriptors";
  factory.make = [] {
    CudaOptions options;
    options.devices = {0, 1};
    options.memory_export = MemoryExport::fd;
    return make_cuda_backend(options);
  };
  return factory;
}

INSTANTIATE_TEST_SUITE_P(Cuda, BackendContract, ::testing::Values(two_gpus(), two_gpus_by_descriptors()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace halocline::device::test
