// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "simulation/simulator.hpp"
#include "support/forwarding_communicator.hpp"
#include "support/seeded.hpp"

namespace halocline::simulation {

/// A group of ranks with delayed messages, as in an MPI library that sends large messages without a copy: a send reads its buffer in a
/// later call, and completes in another one after that. Messages with other tags, or to other ranks, may overtake it. A receive
/// overwrites its buffer when it starts. split() returns such groups, too.
class LateSends final : public test::ForwardingCommunicator {
 public:
  struct Choice {
    std::uint64_t seed = 0;
    Time longest{};  ///< until the bytes leave, and again until the send is complete
    bool concurrent = true;
    /// Gets a text if bytes change before their send is complete; must outlive all groups, as the next.
    std::string* wrong = nullptr;
    /// Gets a text if a request is destroyed before it is done.
    std::string* unfinished = nullptr;
  };
  /// inner must outlive it.
  LateSends(comm::RankGroup& inner, const Choice& choice);
  ~LateSends() override;

  [[nodiscard]] std::unique_ptr<comm::Request> send(std::span<const std::byte> bytes, rank_id to, int tag) override;
  [[nodiscard]] std::unique_ptr<comm::PersistentRequest> persistent_send(std::span<const std::byte> bytes, rank_id to,
                                                                         int tag) override;
  [[nodiscard]] std::unique_ptr<comm::Request> receive(std::span<std::byte> bytes, rank_id from, int tag) override;
  [[nodiscard]] std::unique_ptr<comm::PersistentRequest> persistent_receive(std::span<std::byte> bytes, rank_id from,
                                                                            int tag) override;
  [[nodiscard]] std::unique_ptr<comm::PersistentRequest> persistent_receive_at_most(std::span<std::byte> bytes,
                                                                                    rank_id from, int tag) override;
  [[nodiscard]] std::unique_ptr<comm::RankGroup> split(int colour, int key) override;
  [[nodiscard]] Verdict concurrent() const override;
  void make_progress() override;

 private:
  class Queue;
  class Sent;
  class SentAgain;
  class Landing;
  class Received;
  class ReceivedAgain;

  std::unique_ptr<comm::RankGroup> made_;  ///< the inner group of one that split() made
  Choice choice_;
  test::Seeded seeded_;
  std::shared_ptr<Queue> queue_;  ///< its requests may outlive this
};

}  // namespace halocline::simulation
