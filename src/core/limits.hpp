// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// The largest values that Halocline accepts. They are above anything that exists, but low enough that sums and
/// products of allowed values fit into 63 bits, and that a number with a few digits too many is refused at once instead
/// of filling the memory. Errors quote these numbers; docs/guide/8-run.md lists them.
namespace halocline::limits {

// A domain.
inline constexpr std::int64_t domain_bytes = 100'000'000'000'000'000;  ///< 100 PB: arrays of all subdomains, with halos
inline constexpr std::int64_t fields = 1024;
inline constexpr std::int64_t components = 4096;  ///< of a field
inline constexpr std::int64_t buffers = 256;      ///< of a field

// A machine map.
inline constexpr std::int64_t file_bytes = std::int64_t{32} << 20;
inline constexpr std::int64_t keys_of_object = 256;  ///< in JSON
inline constexpr std::int64_t name_bytes = 256;      ///< of a machine, node type, vertex, node or device UUID
inline constexpr std::int64_t nodes = 1 << 18;
inline constexpr std::int64_t node_types = 256;
inline constexpr std::int64_t vertices_of_node = 4096;
inline constexpr std::int64_t links_of_node = 16'384;
inline constexpr std::int64_t devices_of_node = 256;
inline constexpr std::int64_t devices = 1 << 18;  ///< of all nodes
inline constexpr std::int64_t cores_of_node = 2048;
inline constexpr std::int64_t cores = 1 << 24;         ///< of all nodes
inline constexpr std::int64_t ranks = 1'000'000;       ///< of a map, or of a communication matrix
inline constexpr double bandwidth = 1e18;              ///< bytes a second
inline constexpr double latency = 1e6;                 ///< seconds
inline constexpr std::int64_t fabric_levels = 8;       ///< of a fat tree; dimensions of a torus
inline constexpr std::int64_t fabric_count = 100'000;  ///< children of a switch, groups, rails, ...
inline constexpr std::int64_t torus_length = 1000;
inline constexpr std::int64_t fabric_places = 1'000'000'000;
inline constexpr std::int64_t fabric_links = 1 << 22;  ///< both ways, of all rails

// A communication matrix.
inline constexpr std::int64_t matrix_sum =
    100'000'000'000'000'000;  ///< 100 PB in all; also the limit for the number of messages

}  // namespace halocline::limits
