// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "halocline/ids.hpp"

namespace halocline::partition {

/// A round of an all-gather among subdomains, which are in blocks of consecutive numbers. All subdomains of a block have one value;
/// each receives the values of the other blocks of its group, from one subdomain of each.
struct Gather {
  std::int64_t subdomains = 1;
  std::int64_t block = 1;   ///< subdomains of a block; the last one may have fewer
  std::int64_t blocks = 2;  ///< of a group; the last one may have fewer

  /// The rounds after which all subdomains are in one block.
  [[nodiscard]] static std::vector<Gather> rounds(std::int64_t subdomains, std::int64_t blocks);

  /// The place of the subdomain's block in its group, and the blocks of the group.
  [[nodiscard]] std::int64_t place_of(subdomain_id subdomain) const;
  [[nodiscard]] std::int64_t places_of(subdomain_id subdomain) const;
  /// In increasing order.
  [[nodiscard]] std::vector<subdomain_id> senders_to(subdomain_id subdomain) const;
  [[nodiscard]] std::vector<subdomain_id> receivers_of(subdomain_id subdomain) const;

 private:
  [[nodiscard]] std::int64_t size_of(std::int64_t block_number) const;
  [[nodiscard]] std::int64_t first_of_group(subdomain_id subdomain) const;
};

}  // namespace halocline::partition
