// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "comm/gather.hpp"
#include "device/cuda_backend.hpp"
#include "discovery/probe.hpp"
#include "doctor/check.hpp"
#include "halocline/error.hpp"
#include "table.hpp"

namespace cli::doctor {
namespace {

using namespace halocline;

/// Whether the kernel module has made a device, which needs neither CUDA nor a library.
bool driver_is_loaded() {
  std::error_code none;
  return std::filesystem::exists("/dev/nvidiactl", none) || std::filesystem::exists("/dev/dxg", none);
}

bool host_is_wanted(const Subject& subject) {
  const auto kind = subject.context.options.backend_kind;
  return kind ? *kind == DeviceKind::host : subject.context.environment.backend == "host";
}

std::string why_no_gpu(const Subject& subject) {
  return host_is_wanted(subject) ? "host devices were asked for" : "no GPU is visible to this rank";
}

std::vector<device::DeviceInfo> visible_gpus(const Subject& subject) {
  // Starting the driver takes a second.
  return host_is_wanted(subject) ? std::vector<device::DeviceInfo>{} : device::cuda_devices();
}

/// Bytes to a GPU and back.
void copy_there_and_back(device::Backend& backend, int gpu) {
  constexpr std::size_t bytes = 4096;
  const auto host = backend.allocate_pinned(2 * bytes);
  const auto memory = backend.allocate(gpu, bytes);
  const auto stream = backend.create_stream(gpu);
  for (std::size_t i = 0; i < bytes; ++i) host->data()[i] = static_cast<std::byte>(i * 7 + 1);
  stream->copy(memory->data(), host->data(), bytes);
  stream->copy(host->data() + bytes, memory->data(), bytes);
  stream->synchronize();
  for (std::size_t i = 0; i < bytes; ++i) {
    if (host->data()[i] != host->data()[bytes + i])
      throw ProtocolError(fmt::format("GPU {} returned other bytes", gpu));
  }
}

}  // namespace

Finding try_cuda(Subject& subject) {
  if (host_is_wanted(subject)) return skipped(why_no_gpu(subject));
  try {
    const auto backend = device::make_cuda_backend({});
    for (int gpu = 0; gpu < backend->device_count(); ++gpu) copy_there_and_back(*backend, gpu);
    std::map<std::string, int> names;
    for (int gpu = 0; gpu < backend->device_count(); ++gpu) ++names[backend->info(gpu).name];
    std::string text;
    for (const auto& [name, count] : names) text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, name);
    return works(text + "; bytes were copied there and back");
  } catch (const CapabilityError& error) {
    if (driver_is_loaded()) {
      return broken(fmt::format("this machine has a GPU's driver, but: {}", error.what()),
                    "rebuild with CUDA, or update the driver, or make the GPUs visible (CUDA_VISIBLE_DEVICES, docker "
                    "run --gpus all); --backend host where host devices are meant");
    }
    return absent(error.what(), "a GPU with its driver, and -DHALOCLINE_CUDA=ON; without, there are host devices");
  }
}

Finding try_nvml(Subject& subject) {
  if (host_is_wanted(subject)) return skipped(why_no_gpu(subject));
  const machine::NvmlReport report = machine::probe_nvml();
  if (report.why_not.empty()) {
    return works(fmt::format("driver {}: {}", report.driver, plural(std::ssize(report.gpus), "GPU")));
  }
  if (visible_gpus(subject).empty()) return absent(report.why_not, "comes with the driver of a GPU");
  return broken(
      report.why_not + "; links between GPUs are guessed",
      "install libnvidia-ml of the driver's version; in containers NVIDIA_DRIVER_CAPABILITIES=compute,utility");
}

Finding try_gpu_modes(Subject& subject) {
  const auto gpus = visible_gpus(subject);
  if (gpus.empty()) return skipped(why_no_gpu(subject));
  bool mps = false;
  for (const auto& gpu : gpus) {
    const device::GpuSharing sharing = device::gpu_sharing(gpu.native_ordinal);
    mps = mps || sharing.mps;
    using Mode = device::GpuSharing::Mode;
    if (sharing.mode == Mode::prohibited) {
      return broken(fmt::format("GPU {} is in compute mode 'prohibited'", gpu.native_ordinal), "nvidia-smi -c DEFAULT");
    }
    if (sharing.mode == Mode::exclusive) {
      return works(fmt::format("compute mode 'exclusive process': one rank for each GPU; MPS {}", mps ? "on" : "off"));
    }
  }
  return works(fmt::format("compute mode 'default'; MPS {}", mps ? "on" : "off"));
}

Finding try_ranks_of_gpu(Subject& subject) {
  std::vector<std::string> mine;
  if (subject.devices && subject.devices->kind() == DeviceKind::cuda) {
    for (int gpu = 0; gpu < subject.devices->count(); ++gpu) mine.push_back(subject.devices->info(gpu).uuid);
  }
  std::map<std::string, int> ranks;
  for (const auto& uuids : comm::gather(subject.node, mine)) {
    for (const std::string& uuid : std::set<std::string>(uuids.begin(), uuids.end())) ++ranks[uuid];
  }
  if (ranks.empty()) return skipped("no GPU is used");
  int most = 0;
  for (const auto& [uuid, count] : ranks) most = std::max(most, count);
  if (most == 1) return works("one");
  return works(fmt::format("up to {}: they share it by time or MPS, and 'direct' is not used between them", most));
}

}  // namespace cli::doctor
