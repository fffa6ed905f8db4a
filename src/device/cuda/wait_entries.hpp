// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "device/cuda/board.hpp"
#include "device/cuda/failures.hpp"
#include "device/flag.hpp"

namespace halocline::device::cuda {

/// Makes what kernels are told of waits and checks. With a device current.
class WaitEntries {
 public:
  explicit WaitEntries(Failures& failures) : failures_(&failures) {}
  /// Throws InvalidArgument where devices do not reach the abort word: a kernel that reads such memory takes the whole
  /// process's CUDA with it.
  [[nodiscard]] WaitEntry of(const FlagWait& wait) const;
  [[nodiscard]] CheckEntry of(const CounterCheck& check) const;

 private:
  Failures* failures_;
  mutable const std::atomic<std::uint32_t>* known_ = nullptr;  ///< the abort word that was looked at last
};

}  // namespace halocline::device::cuda
