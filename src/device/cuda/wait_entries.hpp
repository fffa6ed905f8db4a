// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "device/cuda/board.hpp"
#include "device/cuda/failures.hpp"
#include "device/flag.hpp"

namespace halocline::device::cuda {

/// Makes the kernel arguments that describe waits and checks. A device must be current.
class WaitEntries {
 public:
  explicit WaitEntries(Failures& failures) : failures_(&failures) {}
  /// Throws InvalidArgument if devices cannot access the abort word: a kernel that reads such memory makes CUDA
  /// unusable for the whole process.
  [[nodiscard]] WaitEntry of(const FlagWait& wait) const;
  [[nodiscard]] CheckEntry of(const CounterCheck& check) const;

 private:
  Failures* failures_;
  mutable const std::atomic<std::uint32_t>* known_ = nullptr;  ///< the abort word that was looked at last
};

}  // namespace halocline::device::cuda
