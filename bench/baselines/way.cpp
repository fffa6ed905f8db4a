// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/way.hpp"

namespace halocline::bench {

std::function<void()> Way::record(int times, int side) {
  cudaStream_t stream = block_->stream();
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  for (int i = 0; i < times; ++i) exchange((side + i) % 2);
  const auto graph = std::make_shared<OwnedGraph>(end_capture(stream));
  check(cudaGraphUpload(graph->get(), stream), "cudaGraphUpload");
  return [graph, stream] { check(cudaGraphLaunch(graph->get(), stream), "cudaGraphLaunch"); };
}

}  // namespace halocline::bench
