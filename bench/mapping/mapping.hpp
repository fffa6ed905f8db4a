// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mapping/job.hpp"
#include "mapping/patterns.hpp"

// What mapping a job gains, and what it costs.
namespace halocline::bench {

/// What CPUs and GPUs of a job send.
struct Case {
  std::string name;  ///< "2d-col", "hoomd-like", "irregular 3"
  bool weighted = false;
  std::int64_t bytes = 0;  ///< of a message
  mapping::CommunicationMatrix cpu;
  mapping::CommunicationMatrix gpu;
};
/// The nine combinations of MAGC's micro-benchmarks, and those with a stencil weighted too.
[[nodiscard]] std::vector<Case> nine_patterns(int ranks, std::int64_t bytes);
/// A 3-D stencil with wraparound for both.
[[nodiscard]] Case hoomd_case(int ranks, std::int64_t bytes);
/// Random partners and sizes up to `bytes`, of CPUs and of GPUs other ones.
[[nodiscard]] Case irregular_case(int ranks, std::int64_t bytes, std::uint64_t seed);

/// How a job is mapped.
struct Way {
  std::string name;
  mapping::Strategy strategy;
  mapping::PhaseMappers mappers;
};
/// The first one is what the others are compared with: everything in order.
[[nodiscard]] std::vector<Way> ways();

/// Seconds that all messages take that start together, over the links of the machine alone.
[[nodiscard]] double simulated_seconds(const machine::MachineMap& machine, const Case& one,
                                       const std::vector<mapping::Seat>& seats);

struct PatternsRequest {
  std::vector<std::string> machines;  ///< files
  std::vector<std::int64_t> bytes;
  int ranks = 64;
  int irregular = 10;  ///< seeds
  std::string csv{};   ///< a file to append to; may be empty
};
/// Maximum congestion and simulated time of each way, for each case.
void patterns_table(const PatternsRequest& request);

/// A mapper and its name.
struct NamedMapper {
  std::string name;
  std::function<std::vector<int>(const mapping::MappingProblem&)> map;
};
/// The library's, and two that solve a quadratic assignment problem: exact (up to 12 slots) and craft.
[[nodiscard]] std::vector<NamedMapper> mappers();

struct ScaleRequest {
  std::vector<std::int64_t> nodes;
  std::string fabric = "crossbar";  ///< or "fat_tree", "torus"
  int ranks_per_node = 1;
  std::vector<NamedMapper> mappers{};
};
/// Seconds, memory and quality of mappers for many nodes and the ranks of a 3-D stencil in no order. Memory is the most that
/// the process has had so far: one mapper a run tells whose it is.
void scale_table(const ScaleRequest& request);

}  // namespace halocline::bench
