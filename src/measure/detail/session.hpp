// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/rank_group.hpp"
#include "core/median.hpp"
#include "device/backend.hpp"
#include "measure/detail/lane.hpp"
#include "measure/detail/numa_memory.hpp"
#include "measure/measure.hpp"

namespace halocline::machine::measuring {

/// Bytes of the messages for latency, and how many of them are timed together.
inline constexpr std::size_t small_bytes = 8;
inline constexpr int small_row = 16;

/// Which rank of the node measures with a device: the first one that drives it.
struct Slot {
  int rank = -1;  ///< in the node's communicator; -1: none
  int ordinal = 0;
};

/// Memory that a device of this rank can access, or why it cannot.
struct Reach {
  std::byte* data = nullptr;
  std::string why_not;
};

/// The state of one rank while its node is measured: memory of each device, which all ranks of the node try to map, the
/// gate, and the results so far. Devices are named by device_id values.
class Session {
 public:
  /// Collective. `slots` and `request` are the same on all ranks of the node; request.bytes is above 0.
  Session(comm::RankGroup& node, device::Backend& backend, std::vector<Slot> slots, MeasureRequest request);

  /// Unmaps other ranks' memory, so that each may free its own. Collective; the last call.
  void close();

  [[nodiscard]] comm::RankGroup& node() { return node_; }
  /// A second group of the same ranks, for messages while others wait in an agreement of node().
  [[nodiscard]] comm::RankGroup& messages() { return *messages_; }
  [[nodiscard]] device::Backend& backend() { return backend_; }
  [[nodiscard]] const MeasureRequest& request() const { return request_; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(request_.bytes); }
  /// Of a part of memory that holds a message, large or small.
  [[nodiscard]] std::size_t capacity() const { return (bytes() + 1023) / 1024 * 1024; }
  /// Bytes of a message by MPI.
  [[nodiscard]] std::size_t mpi_bytes() const { return request_.exact ? bytes() : std::max(bytes() / 4, small_bytes); }
  /// Kernels move whole words of 8 bytes.
  [[nodiscard]] bool kernels_can() const { return bytes() % 8 == 0; }
  [[nodiscard]] Gate& gate() { return *gate_; }

  [[nodiscard]] int devices() const { return static_cast<int>(slots_.size()); }
  [[nodiscard]] const Slot& slot(int device) const { return slots_.at(static_cast<std::size_t>(device)); }
  [[nodiscard]] bool mine(int device) const { return slot(device).rank == me_; }
  /// CUDA's number for a device of this rank.
  [[nodiscard]] int native(int device) const { return backend_.info(slot(device).ordinal).native_ordinal; }
  /// Bytes of a message from one device to all others at once: each has its own part of the memory.
  [[nodiscard]] std::size_t slice_bytes() const;

  // Each device has two areas of capacity(), and after them one Flag and one counter for each device of the node.
  // `user` is a device of this rank.
  [[nodiscard]] Reach source(int user, int device) { return area(user, device, 0); }
  [[nodiscard]] Reach target(int user, int device) { return area(user, device, capacity()); }
  [[nodiscard]] Reach words(int user, int device) { return area(user, device, 2 * capacity()); }
  /// Pinned memory of 2 x capacity() on a NUMA node (a vertex and the operating system's number), or anywhere (-1).
  /// Kept until release_host_memory(). Throws CapabilityError with the reason if that is not possible.
  [[nodiscard]] std::byte* host_memory(int numa_vertex, int numa_number);
  void release_host_memory() { host_memory_.clear(); }

  /// One stream whose transfers are timed.
  struct Job {
    Lane* lane;
    Transfer transfer;
    Times times;
  };
  /// Times each job with messages of `bytes` and with small ones, all jobs started together. Collective over the
  /// node, with the same error on all ranks.
  void time(std::span<Job> jobs, Gate::Scope scope, std::size_t bytes);
  /// One job alone, on its own lane; local.
  [[nodiscard]] Times time_alone(int device, const Transfer& transfer, std::size_t bytes);

  /// If `bytes` is 0, there is no large message: the bandwidth is the small messages'.
  void found(Measurement what, const Times& times);
  void leave_out(std::string_view method, std::string_view reason) {
    left_out_.push_back({std::string(method), std::string(reason)});
  }
  /// Collective. Whether there is time for another step; if not, the methods are left out.
  [[nodiscard]] bool time_left(std::initializer_list<std::string_view> methods);

  [[nodiscard]] const std::vector<Measurement>& measurements() const { return measurements_; }
  [[nodiscard]] const std::vector<LeftOut>& left_out() const { return left_out_; }

 private:
  [[nodiscard]] Reach area(int user, int device, std::size_t offset);
  void warm_up(std::span<Job> jobs, std::size_t bytes);
  [[nodiscard]] std::vector<std::vector<double>> round(std::span<Job> jobs, Gate::Scope scope, std::size_t bytes,
                                                       int row);

  comm::RankGroup& node_;
  device::Backend& backend_;
  std::vector<Slot> slots_;
  MeasureRequest request_;
  int me_;
  Duration begun_;
  std::unique_ptr<comm::RankGroup> messages_;
  std::unique_ptr<Gate> gate_;
  std::vector<std::unique_ptr<device::ShareableBuffer>> memory_;  ///< by device; null for others' devices
  std::vector<device::MemoryHandle> handles_;                     ///< by device
  struct Mapped {
    std::unique_ptr<device::Mapping> mapping;
    std::string why_not;
  };
  std::map<std::pair<int, int>, Mapped> mapped_;  ///< by user and device
  std::map<int, std::unique_ptr<HostMemory>> host_memory_;
  std::vector<Measurement> measurements_;
  std::vector<LeftOut> left_out_;
};

}  // namespace halocline::machine::measuring
