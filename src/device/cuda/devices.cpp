// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/leak.hpp"
#include "core/log.hpp"
#include "device/cuda/backoff.hpp"
#include "device/cuda/discovery.hpp"
#include "halocline/environment.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

constexpr auto longest_farewell = std::chrono::seconds(1);

std::vector<std::unique_ptr<Device>> open(std::vector<int> ordinals) {
  const int count = count_devices();
  if (ordinals.empty()) {
    for (int i = 0; i < count; ++i) ordinals.push_back(i);
  }
  for (std::size_t i = 0; i < ordinals.size(); ++i) {
    const int ordinal = ordinals[i];
    if (ordinal < 0 || ordinal >= count) {
      throw InvalidArgument(fmt::format("the CUDA device is {}; allowed is 0 to {}", ordinal, count - 1));
    }
    if (std::count(ordinals.begin(), ordinals.end(), ordinal) != 1) {
      throw InvalidArgument(fmt::format("CUDA device {} is listed more than once; allowed is each once", ordinal));
    }
  }
  if (ordinals.size() > most_devices) {
    throw InvalidArgument(fmt::format("the devices are {}; allowed are 1 to {}", ordinals.size(), most_devices));
  }
  std::vector<std::unique_ptr<Device>> devices;
  for (const int ordinal : ordinals) devices.push_back(std::make_unique<Device>(ordinal));
  return devices;
}

MemoryExport wanted_export() {
  const std::string wanted = Environment::read().device_memory;
  if (wanted == "ipc") return MemoryExport::ipc;
  if (wanted == "fd") return MemoryExport::fd;
  return wanted == "fabric" ? MemoryExport::fabric : MemoryExport::automatic;
}

}  // namespace

void Captures::begin(std::uint64_t id) {
  const std::lock_guard held(mutex_);
  ids_.insert(id);
}

void Captures::end(std::uint64_t id) {
  const std::lock_guard held(mutex_);
  ids_.erase(id);
}

bool Captures::under_way(std::uint64_t id) const {
  const std::lock_guard held(mutex_);
  return ids_.contains(id);
}

Devices::Devices(const CudaOptions& options)
    : reported_(std::make_unique<Reported>(open(options.devices))),
      peers_(reported_->devices, options.peer_access),
      exports_(reported_->devices, options.memory_export ? *options.memory_export : wanted_export()) {}

Devices::~Devices() {
  StreamWork& work = reported_->work;
  work.end();
  if (work.done()) return;
  reported_->failures.stop_all();
  const Deadline deadline(Clock::steady(), longest_farewell);
  Backoff backoff;
  while (!work.done() && !deadline.expired()) backoff.pause();
  if (work.done()) return;
  log(LogLevel::warning, "streams were destroyed with work in them that does not end; what it uses is leaked");
  leak(std::move(reported_));
}

Device& Devices::at(int device) const {
  if (device >= 0 && device < count()) return *reported_->devices[static_cast<std::size_t>(device)];
  throw InvalidArgument(fmt::format("device is {}; allowed is 0 to {}", device, count() - 1));
}

}  // namespace halocline::device::cuda
