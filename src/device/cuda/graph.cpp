// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/graph.hpp"

#include <utility>

namespace halocline::device::cuda {

CudaGraph::CudaGraph(std::shared_ptr<Devices> devices, int device, cudaGraph_t graph)
    : devices_(std::move(devices)), context_(devices_->at(device).context()) {
  const CurrentDevice current(context_,
                              std::nothrow);  // it is current already; the graph is this function's to destroy
  const CaptureAside aside;
  cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
  log_failure(cudaGraphDestroy(graph), "cudaGraphDestroy");
  check(status, "cudaGraphInstantiate");
  const cudaStream_t aside_stream = devices_->at(device).aside();
  status = cudaGraphUpload(executable_, aside_stream);
  if (status == cudaSuccess) status = cudaStreamSynchronize(aside_stream);
  if (status != cudaSuccess) log_failure(cudaGraphExecDestroy(executable_), "cudaGraphExecDestroy");
  check(status, "cudaGraphUpload");
}

CudaGraph::~CudaGraph() {
  const CurrentDevice current(context_, std::nothrow);
  const CaptureAside aside;
  log_failure(cudaGraphExecDestroy(executable_), "cudaGraphExecDestroy");
}

}  // namespace halocline::device::cuda
