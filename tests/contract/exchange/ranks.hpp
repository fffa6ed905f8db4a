// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "halocline/domain.hpp"
#include "halocline/session.hpp"

namespace halocline::test {

/// Lets the n-th operation of a kind fail.
class FailNth final : public device::Injector {
 public:
  FailNth(device::Operation operation, int nth) : operation_(operation), left_(nth) {}
  device::Injection before(device::Operation operation, int) override {
    device::Injection injection;
    if (operation == operation_ && left_.fetch_sub(1) == 1) injection.failure = "planted";
    return injection;
  }
  void fail_next() { left_ = 1; }

 private:
  device::Operation operation_;
  std::atomic<int> left_;
};

/// Delays operations of a kind until the test releases them.
class DelaySome final : public device::Injector {
 public:
  explicit DelaySome(device::Operation operation) : operation_(operation) {}
  std::atomic<Duration> delay{Duration{}};
  device::Injection before(device::Operation operation, int) override {
    device::Injection injection;
    if (operation == operation_) injection.delay = delay;
    return injection;
  }

 private:
  device::Operation operation_;
};

/// Counts operations by kind.
class CountOperations final : public device::Injector {
 public:
  device::Injection before(device::Operation operation, int) override {
    ++counts_.at(static_cast<std::size_t>(operation));
    return {};
  }
  /// Since the last call for this kind.
  [[nodiscard]] int take(device::Operation operation) {
    return counts_.at(static_cast<std::size_t>(operation)).exchange(0);
  }

 private:
  std::array<std::atomic<int>, 32> counts_{};
};

/// The result of each rank.
struct Outcome {
  ErrorKind kind{};
  std::string text;
  Duration took{};
};

inline DomainOptions options_with(std::shared_ptr<device::Injector> injector, routing::Transport transport,
                                  Duration timeout, bool graphs = false) {
  device::HostOptions host;
  host.devices = 2;
  host.ranks_on_node = 4;
  host.injector = std::move(injector);
  host.graphs = graphs;
  DomainOptions options;
  options.devices.existing.emplace(device::make_host_backend(host));
  options.timeout = timeout;
  options.routing.policy.order = {transport, routing::Transport::self, routing::Transport::mpi_staged};
  if (transport == routing::Transport::mpi_staged) options.routing.policy.order = {transport};
  return options;
}

/// The same by mpi_staged with one message for each rank.
inline DomainOptions options_by_rank(std::shared_ptr<device::Injector> injector, Duration timeout) {
  DomainOptions options = options_with(std::move(injector), routing::Transport::mpi_staged, timeout);
  options.routing.messages = routing::Messages::by_rank;
  return options;
}

/// Runs body on each rank and collects the errors; the text is empty for a rank without one.
inline std::vector<Outcome> outcomes(int ranks, const std::function<void(comm::RankGroup&)>& body) {
  std::vector<Outcome> all(static_cast<std::size_t>(ranks));
  comm::run_as_threads(ranks, [&](comm::RankGroup& comm) {
    Outcome& mine = all[comm.rank().index()];
    const auto start = std::chrono::steady_clock::now();
    try {
      body(comm);
    } catch (const Error& error) {
      mine.kind = error.kind();
      mine.text = error.what();
    }
    mine.took = std::chrono::steady_clock::now() - start;
  });
  return all;
}

/// A barrier without a RankGroup, which a test may have poisoned.
class Meeting {
 public:
  void arrive() {
    {
      const std::lock_guard lock(mutex_);
      ++here_;
    }
    changed_.notify_all();
  }
  /// Waits until `ranks` ranks have arrived; false after a timeout.
  [[nodiscard]] bool wait_for(int ranks) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return here_ >= ranks; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int here_ = 0;
};

/// The outcomes of three ranks of which rank 1 stops, alive, after three exchanges until the others have an error.
/// failed(domain) is called on these then.
inline std::vector<Outcome> outcomes_beside_a_stopped_rank(const std::function<DomainOptions()>& options,
                                                           const std::function<void(Domain&)>& failed = {}) {
  constexpr int ranks = 3;
  std::mutex mutex;
  std::condition_variable given_up;
  int others = 0;
  return outcomes(ranks, [&](comm::RankGroup& comm) {
    Domain domain({8, 8, 24}, Stencil::box(1), comm, options());
    domain.add_field<double>("u");
    domain.realize();
    for (int step = 0; step < 3; ++step) domain.exchange();
    domain.synchronize();
    if (comm.rank() == rank_id(1)) {
      std::unique_lock lock(mutex);
      given_up.wait_for(lock, std::chrono::seconds(20), [&] { return others == ranks - 1; });
      return;
    }
    std::exception_ptr error;
    try {
      domain.exchange();
      domain.synchronize();
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex);
      ++others;
    }
    given_up.notify_all();
    ASSERT_TRUE(error);
    if (failed) failed(domain);
    std::rethrow_exception(error);
  });
}

}  // namespace halocline::test
