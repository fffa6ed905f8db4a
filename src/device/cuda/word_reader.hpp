// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "device/cuda/devices.hpp"
#include "device/word_reader.hpp"

namespace halocline::device::cuda {

/// Copies words by a copy engine, in a stream of its own and for a limited time. By calls of CUDA rather than by Stream and Event, which
/// raise the failure of a device that has failed: its kernels have ended, and its memory is there.
class CudaWordReader final : public WordReader {
 public:
  CudaWordReader(std::shared_ptr<Devices> devices, int device, std::vector<const std::uint64_t*> words);
  CudaWordReader(const CudaWordReader&) = delete;
  CudaWordReader& operator=(const CudaWordReader&) = delete;
  /// Copies that are under way keep their stream and their memory, which are leaked.
  ~CudaWordReader() override;

  [[nodiscard]] std::optional<std::vector<std::uint64_t>> read(Duration patience,
                                                               std::string& why_not) noexcept override;

 private:
  [[nodiscard]] std::vector<std::uint64_t> copied(Duration patience);

  std::shared_ptr<Devices> devices_;
  int device_;
  std::vector<const std::uint64_t*> words_;
  std::unique_ptr<Buffer> copies_;
  std::unique_ptr<Stream> stream_;
  cudaEvent_t copied_ = nullptr;
  bool under_way_ = false;
};

}  // namespace halocline::device::cuda
