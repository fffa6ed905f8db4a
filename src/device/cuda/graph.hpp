// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "device/cuda/devices.hpp"

namespace halocline::device::cuda {

/// CUDA itself runs the launches of one graph one after another, in whatever streams they are.
class CudaGraph final : public Graph {
 public:
  /// Takes ownership of the graph. When this returns, its nodes have been uploaded to their devices.
  CudaGraph(std::shared_ptr<Devices> devices, int device, cudaGraph_t graph);
  ~CudaGraph() override;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  [[nodiscard]] const Devices& devices() const { return *devices_; }
  [[nodiscard]] cudaGraphExec_t get() const { return executable_; }

 private:
  std::shared_ptr<Devices> devices_;
  Context context_;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace halocline::device::cuda
