// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "support/cuda.cuh"

namespace halocline::bench {

/// The driver's stream memory operations, which graphs may hold. Throws CapabilityError where the driver lacks them.
class StreamMemory {
 public:
  StreamMemory();
  /// Enqueues a write, ordered after all earlier writes in the stream.
  void write(cudaStream_t stream, std::uint32_t* flag, std::uint32_t value) const;
  /// Enqueues a wait until the flag has the value.
  void wait(cudaStream_t stream, const std::uint32_t* flag, std::uint32_t value) const;

 private:
  void* write_;
  void* wait_;
};

}  // namespace halocline::bench
