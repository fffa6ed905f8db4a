// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "device/backend.hpp"
#include "halocline/domain.hpp"

namespace mhd {

/// How long each step takes, by marks in the subdomains' streams: nothing waits for the host.
class StepClock {
 public:
  explicit StepClock(halocline::Domain& domain) : domain_(domain), streams_(domain.subdomains().size()) {}
  /// A step starts here; what was before is in none.
  void start() { mark(false); }
  /// The end of a step, and the start of the next one.
  void lap() { mark(true); }
  /// Takes the times of what was reached by now.
  void collect();
  /// For each step, the seconds of all steps up to its end, those of the subdomain of this rank that took longest. All marks
  /// must have been collected.
  [[nodiscard]] std::vector<double> ends() const;

 private:
  using Event = std::unique_ptr<halocline::device::Event>;
  struct Mark {
    Event event;
    bool ends_step;
  };
  void mark(bool ends_step);
  struct Stream {
    std::deque<Mark> marks;  ///< the first is the last that was collected
    std::vector<Event> spare;
    std::vector<double> seconds;
  };
  halocline::Domain& domain_;
  std::vector<Stream> streams_;
};

}  // namespace mhd
