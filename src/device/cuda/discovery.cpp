// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/discovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

#include "device/cuda/runtime.hpp"
#include "device/cuda/unusable.hpp"
#include "device/cuda_backend.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

/// The UUID in the form of NVML and nvidia-smi.
std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

/// -1 if the system does not report it.
int numa_node(int cuda_ordinal) {
  std::array<char, 32> bus{};
  if (cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), cuda_ordinal) != cudaSuccess) {
    (void)cudaGetLastError();
    return -1;
  }
  std::string id = bus.data();
  std::transform(id.begin(), id.end(), id.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  int node = -1;
  std::ifstream in("/sys/bus/pci/devices/" + id + "/numa_node");
  return in >> node ? node : -1;
}

/// The version of the kernel module; empty if the system does not report it.
std::string driver_release() {
  std::string release;
  std::ifstream("/sys/module/nvidia/version") >> release;
  return release;
}

/// Of cudaErrorInsufficientDriver: which driver there is, or that there is none, and which is needed.
std::string describe_old_driver() {
  int supports = 0;
  int built_with = 0;
  (void)cudaDriverGetVersion(&supports);
  (void)cudaRuntimeGetVersion(&built_with);
  return old_driver_text(driver_release(), supports, built_with);
}

}  // namespace

int count_devices() {
  prepare_process();
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return count;
  (void)cudaGetLastError();
  if (status == cudaErrorInsufficientDriver) {
    int supports = 0;
    const bool has_driver = cudaDriverGetVersion(&supports) == cudaSuccess && supports != 0;
    if (has_driver) throw CapabilityError(describe_old_driver());
    throw NoGpu(describe_old_driver());
  }
  if (status == cudaSuccess || status == cudaErrorNoDevice)
    throw NoGpu("no GPU was found: " + describe(cudaErrorNoDevice));
  throw CapabilityError("no GPU was found: " + describe(status));
}

DeviceInfo describe_device(int cuda_ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, cuda_ordinal), "cudaGetDeviceProperties");
  DeviceInfo info;
  info.name = properties.name;
  info.uuid = uuid_text(properties.uuid);
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  info.numa = numa_node(cuda_ordinal);
  info.native_ordinal = cuda_ordinal;
  return info;
}

int ordinal_of(const std::string& uuid) {
  // What a process sees does not change. After a search that failed the next call searches again.
  static const std::vector<DeviceInfo> devices = [] {
    FoundGpus gpus = find_gpus();
    if (gpus.failure) std::rethrow_exception(gpus.failure);
    return std::move(gpus.devices);
  }();
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const DeviceInfo& d) { return d.uuid == uuid; });
  return found == devices.end() ? -1 : static_cast<int>(found - devices.begin());
}

}  // namespace halocline::device::cuda

namespace halocline::device {

FoundGpus find_gpus() {
  FoundGpus found;
  try {
    const int count = cuda::count_devices();
    for (int i = 0; i < count; ++i) found.devices.push_back(cuda::describe_device(i));
  } catch (const cuda::NoGpu&) {
    found.failure = std::current_exception();
  } catch (const Error& error) {
    found.devices.clear();
    found.failure = std::current_exception();
    found.warning = error.what();
  }
  return found;
}

GpuSharing gpu_sharing(int device) {
  int mode = 0;
  int mps = 0;
  cuda::check(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device), "cudaDeviceGetAttribute");
  // Older drivers do not know this attribute.
  if (cudaDeviceGetAttribute(&mps, cudaDevAttrMpsEnabled, device) != cudaSuccess) (void)cudaGetLastError();
  GpuSharing sharing;
  if (mode == cudaComputeModeProhibited) sharing.mode = GpuSharing::Mode::prohibited;
  if (mode == cudaComputeModeExclusive || mode == cudaComputeModeExclusiveProcess) {
    sharing.mode = GpuSharing::Mode::exclusive;
  }
  sharing.mps = mps != 0;
  return sharing;
}

std::vector<DeviceInfo> cuda_devices() noexcept {
  try {
    return find_gpus().devices;
  } catch (...) {
    return {};
  }
}

}  // namespace halocline::device
