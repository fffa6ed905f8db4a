// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "mapping/topology.hpp"

namespace halocline::mapping::detail {

/// A few places near each one, by the links between them in the topology's graph.
class NearPlaces {
 public:
  explicit NearPlaces(const Topology& topology);
  [[nodiscard]] std::span<const int> of(int place) const {
    return {near_.data() + begin_[static_cast<std::size_t>(place)],
            begin_[static_cast<std::size_t>(place) + 1] - begin_[static_cast<std::size_t>(place)]};
  }

 private:
  std::vector<int> near_;
  std::vector<std::size_t> begin_;
};

}  // namespace halocline::mapping::detail
