#include "device/cuda/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/cuda/backoff.hpp"
#include "device/cuda/discovery.hpp"
#include "halocline/core/error.hpp"
#include "halocline/core/leak.hpp"
#include "halocline/core/log.hpp"

namespace halocline::device::cuda {
namespace {

/// What the work of streams still reports to.
using Reported = std::pair<std::vector<std::unique_ptr<Device>>, std::unique_ptr<Failures>>;

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
    : all_(open(options.devices)), failures_(std::make_unique<Failures>(all_)), peers_(all_, options.peer_access) {}

Devices::~Devices() {
  if (leaving_.empty()) return;
  failures_->stop_all();
  const Deadline deadline(Clock::steady(), longest_farewell);
  Backoff backoff;
  while (!drained() && !deadline.expired()) backoff.pause();
  if (leaving_.empty()) return;
  log(LogLevel::warning, fmt::format("{} streams were destroyed with work in them that does not end", leaving_.size()));
  leak(std::make_shared<Reported>(std::move(all_), std::move(failures_)));
}

Device& Devices::at(int device) const {
  if (device >= 0 && device < count()) return *all_[static_cast<std::size_t>(device)];
  throw InvalidArgument(fmt::format("device is {}; allowed is 0 to {}", device, count() - 1));
}

void Devices::keep_until(int device, cudaEvent_t event) {
  const std::lock_guard held(mutex_);
  (void)drained();
  leaving_.emplace_back(device, event);
}

bool Devices::drained() {
  std::erase_if(leaving_, [&](const auto& entry) {
    const CurrentDevice current(at(entry.first).context());
    const CaptureAside aside;
    const cudaError_t status = cudaEventQuery(entry.second);
    (void)cudaGetLastError();
    if (status == cudaErrorNotReady) return false;
    log_failure(cudaEventDestroy(entry.second), "cudaEventDestroy");
    return true;
  });
  return leaving_.empty();
}

}  // namespace halocline::device::cuda
