// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "halocline/routing.hpp"
#include "machine/interconnect.hpp"
#include "placement/placement.hpp"

namespace halocline::model {

/// What a message between two slots takes of the channels and shared resources of simulate_exchange(), as seconds in proportion to
/// its bytes. From these a lower bound of the simulated time follows without a solver: no channel carries more than its bandwidth,
/// and no message is faster than alone. Measured exchange rates and the launches of kernels do not count.
class Occupancy {
 public:
  struct Part {
    int resource = 0;           ///< 0 to resources() - 1: a channel or a shared resource
    std::int64_t channel = -1;  ///< of the interconnect; negative for a shared resource
    double per_byte = 0;        ///< seconds
    double fixed = 0;           ///< seconds, whatever the bytes are
  };
  struct Message {
    std::vector<Part> parts;
    double per_byte = 0;  ///< of the message alone, all stages, in seconds
    double latency = 0;
  };

  /// interconnect: of the map.
  Occupancy(const machine::MachineMap& map, const machine::Interconnect& interconnect,
            std::vector<placement::Slot> slots);
  ~Occupancy();
  Occupancy(const Occupancy&) = delete;  // what it holds refers to itself
  Occupancy& operator=(const Occupancy&) = delete;

  /// from, to: positions in the slots; equal ones for a subdomain's message to itself. New resources get the next numbers.
  [[nodiscard]] Message of(std::size_t from, std::size_t to, routing::Transport transport);
  [[nodiscard]] std::size_t resources() const { return numbers_.size(); }

 private:
  struct Flows;
  std::unique_ptr<Flows> flows_;
  std::map<std::int64_t, int> numbers_;  ///< by channel; shared resource r is -1 - r
};

}  // namespace halocline::model
