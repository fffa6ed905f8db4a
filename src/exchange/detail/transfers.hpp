// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "comm/rank_group.hpp"
#include "comm/requests.hpp"
#include "core/clock.hpp"

namespace halocline::exchange {

/// Messages under way that own their bytes. If they are given up before they are done, MPI may still read and write the bytes,
/// so both are kept until the process ends.
class Transfers {
 public:
  explicit Transfers(comm::RankGroup& comm) : comm_(&comm) {}
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;
  ~Transfers();

  void send(std::vector<std::byte> bytes, rank_id to, int tag);
  void receive(std::size_t bytes, rank_id from, int tag);
  /// Waits for all of them and returns what was received, in the order of the calls of receive(). If that fails, ranks are out of
  /// step and the communicator is poisoned. what: for the error.
  [[nodiscard]] std::vector<std::vector<std::byte>> wait(Duration timeout, std::string_view what);

 private:
  struct Transfer {
    Transfer(std::vector<std::byte> its_bytes, bool is_received) : bytes(std::move(its_bytes)), received(is_received) {}
    std::vector<std::byte> bytes;  // outlives the request: destroyed after it
    std::unique_ptr<comm::Request> request;
    bool received;
  };
  comm::RankGroup* comm_;
  std::vector<std::unique_ptr<Transfer>> transfers_;  // each in its own memory: leaking one needs none
};

}  // namespace halocline::exchange
