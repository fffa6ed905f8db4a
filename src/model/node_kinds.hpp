#pragma once

#include <cstdint>
#include <vector>

#include "halocline/partition/halo.hpp"

namespace halocline::model {

/// A node's part of a domain, and how many there are that differ from it in nothing but their place.
struct NodeKind {
  std::vector<subdomain_id> subdomains;  ///< of the one that stands for all
  std::int64_t count = 1;
};
/// Every node part is of one kind. Nodes are of one kind where, in each dimension, their slabs and those beside them are as
/// thick, and end at open boundaries alike.
[[nodiscard]] std::vector<NodeKind> node_kinds(const partition::Geometry& geometry);

}  // namespace halocline::model
