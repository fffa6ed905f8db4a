// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "halocline/ids.hpp"

namespace halocline::exchange {

/// The messages that an exchange waits for, for its error: a few of each rank, so that the error stays readable and names every rank.
class LateMessages {
 public:
  void add(rank_id peer, std::string_view message);
  /// "subdomain 0 -> 1 (net, rank 0 -> rank 1), part 0: packing; ...; 5 more with rank 1"
  [[nodiscard]] std::string text() const;

 private:
  std::string first_;
  std::map<rank_id, std::size_t> of_rank_;
};

}  // namespace halocline::exchange
