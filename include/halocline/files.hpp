// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "halocline/domain.hpp"

namespace [[gnu::visibility("default")]] halocline {

struct OutputOptions {
  std::array<double, 3> origin{0, 0, 0};   ///< the lower corner of cell (0, 0, 0)
  std::array<double, 3> spacing{1, 1, 1};  ///< the size of a cell; finite, above 0
  std::vector<field_id> fields{};          ///< empty: all fields
  /// Keeps the steps that the series file lists, up to the first one that is written: for a run that continues another.
  bool resume = false;
};

/// A time series for ParaView and VTK: for each step one image file, written by all ranks together, and a series file that lists them.
///
/// "out/heat.pvd" has the images out/heat-000120.vti, with the step in 6 or more digits: cell data of the whole domain, raw
/// and appended, with 64-bit sizes. Written are the owned cells of the current buffers. Integers and floating-point numbers keep their types; f16 and bf16 become Float32; a
/// complex number becomes two components, real and imaginary. Of a staggered field, each cell has the value of its lower face, so
/// that the additional layer at an open upper end is left out.
///
/// Each file appears whole, or the previous one stays: it is written as .halocline-* in the same folder, which must exist, and
/// renamed. With MPI, ranks write through MPI-IO. All functions are collective, and errors are the same on all ranks:
/// InvalidArgument for a path that cannot be written, ResourceError for a full disk. start() of an Output alone is local. An error of a file leaves the domain usable.
/// Refers to the domain: made after realize(), finish()ed before close(), destroyed before the domain.
class Output {
 public:
  Output(const Domain& domain, std::string series, OutputOptions options = {});
  Output(Output&&) noexcept;
  Output& operator=(Output&&) noexcept;
  ~Output();  ///< waits for copies under way; does not communicate

  /// start() and finish().
  void write(std::int64_t step, double time);
  /// Enqueues copies of the cells to pinned host memory, after the work in the subdomains' streams, and returns: cells may be
  /// overwritten by work that is enqueued after this. step: 0 or more; listed steps from this one on leave the series. Rank 0's
  /// values count. Not within a capture.
  void start(std::int64_t step, double time);
  /// Waits for the copies and writes the files. Blocks the host; what was enqueued on the devices goes on. Without a start() it
  /// throws InvalidArgument.
  void finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// What a user keeps with a checkpoint, such as the step and the time. UTF-8.
using Metadata = std::map<std::string, std::string>;

struct CheckpointOptions {
  int generations = 2;             ///< checkpoints that are kept, 1 or more; older ones are removed
  std::vector<field_id> fields{};  ///< empty: all fields
  /// Also the buffers that are not current, for steps that read values of several earlier steps.
  bool all_buffers = false;
  /// Of each rank's file, so that writing disturbs steps, and others on a shared file system, less; until finish() is called. 0: no limit.
  double most_bytes_per_second = 0;
};

struct Restored {
  Metadata metadata;
  std::string file;                  ///< the manifest of the checkpoint
  std::vector<std::string> refused;  ///< why newer checkpoints were refused; each names its file
};

/// Checkpoints of a domain in a folder of their own, which may be restored with another number of ranks and another partition.
///
/// A checkpoint is a file for each rank, with the owned cells and XXH3 digests, and a manifest that is renamed into place after all of
/// these are on the storage device: a run that is killed at any time leaves the previous checkpoint whole. One run at a time uses a
/// folder. All functions are collective, and errors are the same on all ranks; see Output for errors and lifetimes. Builds without
/// xxHash throw CapabilityError.
class Checkpoints {
 public:
  /// The folder is made by the first write, if its parent exists.
  Checkpoints(const Domain& domain, std::string folder, CheckpointOptions options = {});
  Checkpoints(Checkpoints&&) noexcept;
  Checkpoints& operator=(Checkpoints&&) noexcept;
  ~Checkpoints();  ///< waits for copies and writes under way; does not communicate. What was not finish()ed is no checkpoint.

  /// start() and finish().
  void write(const Metadata& metadata = {});
  /// Enqueues copies of the cells as Output::start does. A thread of this rank, which calls no MPI, then writes its file. Rank 0's
  /// metadata count.
  void start(const Metadata& metadata = {});
  /// Waits for the files of all ranks, writes the manifest, and removes older checkpoints.
  void finish();
  /// Sets the owned cells, in stream order, to those of the newest checkpoint that is whole and fits the domain's extent and
  /// fields; halos keep their values. Each rank reads what its subdomains need. Returns nothing if there is no checkpoint; throws
  /// InvalidArgument with all reasons, and changes nothing, if each is refused.
  [[nodiscard]] std::optional<Restored> restore();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halocline
