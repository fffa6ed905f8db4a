// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "device/backend.hpp"

namespace jacobi3d {

/// Times of one subdomain by marks in its stream, read once they were reached: nothing in the stream waits for the
/// host.
class Stopwatch {
 public:
  enum class Part : int { compute, exchange };

  Stopwatch(halocline::device::Backend& backend, halocline::device::Stream& stream)
      : backend_(&backend), stream_(&stream) {}
  Stopwatch(Stopwatch&&) = default;
  Stopwatch& operator=(Stopwatch&&) = default;

  /// Time counts from here.
  void start() { mark(std::nullopt); }
  /// What passed since the last mark was spent in `part`.
  void lap(Part part) { mark(part); }
  /// Adds up the marks that were reached by now. Throws what the stream failed with.
  void collect();
  /// Of the marks that were collected.
  [[nodiscard]] halocline::Duration spent_in(Part part) const { return part == Part::compute ? compute_ : exchange_; }

 private:
  struct Mark {
    std::unique_ptr<halocline::device::Event> event;
    std::optional<Part> part;  ///< none where time starts to count
  };
  void mark(std::optional<Part> part);

  halocline::device::Backend* backend_;
  halocline::device::Stream* stream_;
  std::deque<Mark> marks_;  ///< in the stream's order; the first is the last that was collected
  std::vector<std::unique_ptr<halocline::device::Event>> spare_;
  bool first_collected_ = false;
  halocline::Duration compute_{};
  halocline::Duration exchange_{};
};

}  // namespace jacobi3d
