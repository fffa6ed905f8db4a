// SPDX-License-Identifier: BSD-3-Clause
#include "partition/gather.hpp"

#include <algorithm>

namespace halocline::partition {

std::vector<Gather> Gather::rounds(std::int64_t subdomains, std::int64_t blocks) {
  std::vector<Gather> all;
  for (std::int64_t block = 1; block < subdomains; block *= blocks) all.push_back({subdomains, block, blocks});
  return all;
}

std::int64_t Gather::size_of(std::int64_t block_number) const {
  return std::min(block, subdomains - block_number * block);
}

/// The number of the group's first block.
std::int64_t Gather::first_of_group(subdomain_id subdomain) const {
  return subdomain.value() / (block * blocks) * blocks;
}

std::int64_t Gather::place_of(subdomain_id subdomain) const { return subdomain.value() / block % blocks; }

std::int64_t Gather::places_of(subdomain_id subdomain) const {
  return std::min(blocks, (subdomains + block - 1) / block - first_of_group(subdomain));
}

std::vector<subdomain_id> Gather::senders_to(subdomain_id subdomain) const {
  std::vector<subdomain_id> all;
  const std::int64_t first = first_of_group(subdomain);
  for (std::int64_t other = first; other < first + places_of(subdomain); ++other) {
    if (other == subdomain.value() / block) continue;
    all.emplace_back(other * block + subdomain.value() % block % size_of(other));
  }
  return all;
}

std::vector<subdomain_id> Gather::receivers_of(subdomain_id subdomain) const {
  std::vector<subdomain_id> all;
  const std::int64_t first = first_of_group(subdomain);
  const std::int64_t own = subdomain.value() / block;
  for (std::int64_t other = first; other < first + places_of(subdomain); ++other) {
    if (other == own) continue;
    for (std::int64_t i = subdomain.value() % block; i < size_of(other); i += size_of(own)) {
      all.emplace_back(other * block + i);
    }
  }
  return all;
}

}  // namespace halocline::partition
