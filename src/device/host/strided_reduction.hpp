// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/backend.hpp"

namespace halocline::device::host {

class HostReductionList final : public ReductionList {
 public:
  /// Throws InvalidArgument: see check().
  explicit HostReductionList(std::span<const StridedReduction> reductions);

 private:
  friend class HostStream;
  std::shared_ptr<const std::vector<StridedReduction>> reductions_;
};

/// Does one of them, here and now.
void reduce(const StridedReduction& reduction);

}  // namespace halocline::device::host
