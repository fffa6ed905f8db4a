// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"
#include "exchange/detail/abort_word.hpp"
#include "exchange/transport/endpoint.hpp"
#include "placement/placement.hpp"

namespace halocline::exchange::nccl {

/// The communicator of the devices between which messages go by nccl, as this rank's devices see it. Its operations wait for ever for a
/// peer that does not come. Therefore a thread watches them: it aborts them where one takes longer than the timeout, where NCCL reports
/// an error, and where the exchange has failed anywhere on the node. The device then finds a header of an older exchange.
class Communicators {
 public:
  /// Collective. comm, backend and abort must outlive it. Ranks without such messages do not join.
  Communicators(comm::RankGroup& comm, device::Backend& backend, AbortWord& abort, Duration timeout,
                const placement::Placement& placement, std::span<const std::unique_ptr<Channel>> channels);
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;
  ~Communicators() { stop(); }

  [[nodiscard]] device::Communicator& of(int device) { return *members_.at(device); }
  /// The number of a subdomain's device in the communicator.
  [[nodiscard]] int number_of(subdomain_id subdomain) const;

  /// What shows where a subdomain's exchanges are, in memory of its device.
  struct Progress {
    int device = 0;
    const std::uint64_t* begun = nullptr;         ///< exchanges that have begun
    const std::uint64_t* done = nullptr;          ///< and those whose messages are all there
    std::vector<const std::uint64_t*> arrived{};  ///< by message: the exchange that its header is of
    std::vector<std::string> labels{};            ///< of these messages
  };
  /// Before start().
  void watch(Progress progress) { watched_.push_back({std::move(progress), nullptr, nullptr}); }
  void start();
  /// The error that the thread has found; null if there is none. Never blocks.
  [[nodiscard]] std::exception_ptr failure() const;
  /// Ends the thread; if the abort word is raised, after it has aborted all operations.
  void stop() noexcept;

 private:
  using Place = std::pair<std::int64_t, int>;  ///< rank, device
  struct Watched {
    Progress progress;
    std::unique_ptr<device::WordReader> counts;
    std::unique_ptr<device::WordReader> headers;  ///< read when an exchange is late
    std::uint64_t seen = 0;                       ///< the exchange under way, since when
    Duration since{};
  };
  [[nodiscard]] Place place_of(subdomain_id subdomain) const;
  void run() noexcept;
  void look();
  void look_at(Watched& watched, Duration now);
  void abort_all() noexcept;

  device::Backend* backend_;
  AbortWord* abort_;
  Duration timeout_;
  rank_id me_;
  const placement::Placement* placement_;
  std::map<Place, int> numbers_;
  std::map<int, std::unique_ptr<device::Communicator>> members_;  ///< by device
  std::vector<Watched> watched_;
  mutable std::mutex mutex_;  ///< of the next three
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace halocline::exchange::nccl
