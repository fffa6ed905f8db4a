// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/rank_group.hpp"
#include "halocline/box.hpp"
#include "support/csv.hpp"
#include "support/sampling.hpp"

namespace halocline::bench {

/// How the program was launched, as the first paper labels it.
struct Shape {
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  std::int64_t gpus_per_node = 1;
};

/// "1n/4r/4g/512", "1n/4r/4g/512/ca": X nodes, X ranks a node, X GPUs a node, extent, CUDA-aware MPI.
[[nodiscard]] std::string label_of(const Shape& shape, const std::string& extent, bool cuda_aware);

/// What was exchanged, by all contenders of one table.
struct Case {
  std::string study;   ///< "specialisation", "weak", "baseline", ...
  std::string size;    ///< what `extent` stands for in the label: the cube's edge, or the block's
  std::string kind;    ///< "block" (cells a GPU are given) or "domain" (cells in all are)
  std::string device;  ///< the backend's kind and the device's name
  Shape shape;
  Vec3 extent;  ///< of the domain
  Vec3 grid;    ///< of subdomains
  std::int64_t radius = 3;
  std::int64_t fields = 4;
  std::string element = "f32";
};

/// One contender of a case.
struct Entry {
  std::string config;
  bool cuda_aware = false;
  std::int64_t bytes_out = 0;  ///< that the busiest GPU sends to others and to itself
  std::int64_t messages = 0;   ///< of all ranks
  std::string routes;          ///< transports and the messages that each carries
  std::string note;            ///< e.g. a placement's cost
  std::vector<Timing> rounds;
};

/// Writes one row a round into `<folder>/<study>.csv`, and a table for people on standard output. Rank 0 alone does
/// either. Throws the same error on all ranks where the file cannot be written.
void report(comm::RankGroup& world, const std::string& folder, const Case& what, const std::vector<Entry>& entries);

}  // namespace halocline::bench
