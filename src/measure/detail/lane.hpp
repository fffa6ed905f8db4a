// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/backend.hpp"
#include "measure/detail/gate.hpp"

namespace halocline::machine::measuring {

/// Seconds of one transfer: each of the large ones (bandwidth), and what one of a row of small ones took (latency).
struct Times {
  std::vector<double> large;
  std::vector<double> small;
};

/// Enqueues one transfer of this number of bytes.
using Transfer = std::function<void(device::Stream& stream, std::size_t bytes)>;

/// A stream whose work is timed by events.
class Lane {
 public:
  Lane(device::Backend& backend, int device);

  [[nodiscard]] device::Stream& stream() { return *stream_; }
  /// Behind the gate: `repeats` times `row` transfers, with a mark before and after each row.
  void enqueue(Gate& gate, Gate::Scope scope, const Transfer& transfer, std::size_t bytes, int repeats, int row);
  /// Once the stream is synchronised: seconds of one transfer, by row.
  [[nodiscard]] std::vector<double> seconds() const;

 private:
  device::Backend& backend_;
  int device_;
  std::unique_ptr<device::Stream> stream_;
  std::vector<std::unique_ptr<device::Event>> marks_;
  std::size_t used_ = 0;
  int row_ = 1;
};

}  // namespace halocline::machine::measuring
