// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "baselines/block.hpp"
#include "comm/rank_group.hpp"

namespace halocline::bench {

/// A way to exchange halos between the blocks of all ranks. Calls are collective.
class Way {
 public:
  explicit Way(const Block& block) : block_(&block) {}
  virtual ~Way() = default;
  /// Enqueues one exchange on the block's stream, or carries it out. Exchanges alternate between sides 0 and 1, so that
  /// what one receives may be read while the next one arrives.
  virtual void exchange(int side) = 0;
  /// Waits until the exchanges that were enqueued are done.
  virtual void synchronize() { check(cudaStreamSynchronize(block_->stream()), "cudaStreamSynchronize"); }
  /// The cells whose halos are exchanged.
  [[nodiscard]] virtual const Cells& cells() const { return block_->cells(); }

  /// Whether exchanges can be captured in a graph.
  [[nodiscard]] virtual bool capturable() const = 0;
  /// Captures exchanges, the first one of a side; what is returned enqueues them as one launch.
  [[nodiscard]] virtual std::function<void()> record(int times, int side);

  /// Whether transfer() and plain() are there.
  [[nodiscard]] virtual bool has_transfer() const { return true; }
  /// The transfer alone, of the same bytes, as the exchange does it.
  virtual void transfer(int side) = 0;
  /// Whether the transfer moves messages as plain() does, and not cells to where they belong.
  [[nodiscard]] virtual bool moves_messages() const { return true; }
  /// The library's plain transfer of the same bytes to the same ranks, both ways at once: the ceiling of transfer().
  /// `times` of them, finished at return.
  virtual void plain(int times) = 0;

  /// Variants of the exchange that are tried before it is timed; the fastest is kept.
  [[nodiscard]] virtual int variants() const = 0;
  virtual void choose(int variant) = 0;
  /// The chosen variant, for the results.
  [[nodiscard]] virtual std::string text() const = 0;

 protected:
  [[nodiscard]] const Block& block() const { return *block_; }

 private:
  const Block* block_;
};

struct Method {
  std::string config;
  bool cuda_aware = false;
  std::function<std::unique_ptr<Way>(comm::RankGroup& world, const Block& block)> make;
};

/// What a program of baselines offers.
struct Library {
  std::string program;
  std::vector<Method> methods;
  Allocator allocate = cuda_memory;                        ///< of the blocks' arrays
  std::function<void(comm::RankGroup& world)> start = {};  ///< once, with the rank's device current
  std::function<void()> stop = {};                         ///< once, while MPI is still there
};

/// A program's main(): reads the options, makes the blocks, checks every cell before and after, times each way one by one
/// and, where it can be captured, in graphs, and writes OUT/baseline.csv. Exit code 1 where cells are wrong, or where a
/// way's transfer is below half of its library's ceiling, which is then not reported.
int run_baselines(int argc, char** argv, const Library& library);

}  // namespace halocline::bench
