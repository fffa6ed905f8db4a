#pragma once

#include <cstdint>
#include <vector>

// What planning costs, and how good its answers are. Nothing here runs an exchange.
namespace halocline::bench {

/// Seconds and memory of each stage for machines of 6 devices a node, and of one rank's own part.
void scale_table(const std::vector<std::int64_t>& nodes);

/// Solvers beside the optimum, on random problems of 4 to 12 devices.
void quality_table(int problems);
/// The nodes of Summit-like machines: what placement costs there, beside a lower bound.
void summit_table(const std::vector<std::int64_t>& nodes);

/// Bytes between nodes by the order in which subdomains are handed to them.
void order_table(const std::vector<std::int64_t>& radii);

}  // namespace halocline::bench
