// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/backend.hpp"

namespace halocline::device::host {

class HostSumList final : public SumList {
 public:
  /// Throws InvalidArgument for a null pointer.
  explicit HostSumList(std::span<const StridedSum> sums);

 private:
  friend class HostStream;
  std::shared_ptr<const std::vector<StridedSum>> sums_;
};

/// Does one of them, here and now.
void add_terms(const StridedSum& sum);

}  // namespace halocline::device::host
