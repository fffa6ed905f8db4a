// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/devices.hpp"

#include <fmt/core.h>

#include "device/backend.hpp"
#include "halocline/error.hpp"

namespace halocline {
namespace {

device::Backend& checked(const std::shared_ptr<device::Backend>& backend, int device) {
  if (device >= 0 && device < backend->device_count()) return *backend;
  throw InvalidArgument(fmt::format("device is {}; allowed are 0 to {}", device, backend->device_count() - 1));
}

}  // namespace

std::string_view to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::host: return "host";
    case DeviceKind::cuda: return "cuda";
  }
  return "unknown";
}

std::optional<DeviceKind> device_kind_of(std::string_view name) {
  if (name == "auto") return std::nullopt;
  for (const DeviceKind kind : {DeviceKind::host, DeviceKind::cuda}) {
    if (name == to_string(kind)) return kind;
  }
  throw InvalidArgument(fmt::format("backend is '{}'; allowed is one of auto host cuda", name));
}

DeviceKind Devices::kind() const { return backend_->kind(); }
int Devices::count() const { return backend_->device_count(); }
DeviceInfo Devices::info(int device) const { return checked(backend_, device).info(device); }

std::unique_ptr<Stream> Devices::create_stream(int device) const {
  return checked(backend_, device).create_stream(device);
}

std::unique_ptr<Stream> Devices::borrow_stream(int device, void* native) const {
  return checked(backend_, device).borrow_stream(device, native);
}

std::unique_ptr<Event> Devices::create_event(int device, Timing timing) const {
  return checked(backend_, device).create_event(device, timing);
}

}  // namespace halocline
