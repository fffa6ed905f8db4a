// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "device/cuda/devices.hpp"
#include "device/fused_exchange.hpp"

namespace halocline::device::cuda {

/// Blocks of a GPU that are reserved for an exchange; none for 0 parts.
class CudaRoom final : public Room {
 public:
  /// Throws ResourceError if no such share is left.
  CudaRoom(std::shared_ptr<Devices> devices, int device, int parts, int multiprocessors);
  ~CudaRoom() override;
  CudaRoom(const CudaRoom&) = delete;
  CudaRoom& operator=(const CudaRoom&) = delete;

  [[nodiscard]] const Devices& devices() const { return *devices_; }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] int blocks() const { return blocks_; }

 private:
  std::shared_ptr<Devices> devices_;
  int device_;
  int blocks_ = 0;
};

/// Backend::reserve_room().
[[nodiscard]] std::unique_ptr<Room> make_room(std::shared_ptr<Devices> devices, int device, int parts,
                                              int multiprocessors);

}  // namespace halocline::device::cuda
