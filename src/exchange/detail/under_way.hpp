// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace halocline::exchange {

/// An exchange with messages that the host has to send and receive.
class HostDriven {
 public:
  /// Never blocks; true if there is nothing left to do. After an error it is called no more.
  virtual bool proceed() = 0;

 protected:
  HostDriven() = default;
  HostDriven(const HostDriven&) = default;
  HostDriven& operator=(const HostDriven&) = default;
  ~HostDriven() = default;
};

/// The exchanges that a thread has started and not finished. While it waits for one of them, it makes progress on all: otherwise
/// two ranks that finish the exchanges of two domains in opposite orders would wait for each other, each with a message of the other
/// domain that is packed but not sent. MPI gives the same guarantee for its requests.
class UnderWay {
 public:
  [[nodiscard]] static const std::shared_ptr<UnderWay>& of_this_thread();
  void add(HostDriven& exchange);
  /// Returns when no thread calls the exchange's proceed() any more.
  void remove(const HostDriven& exchange) noexcept;
  /// On all but the given one. An exchange that fails is left out from then on; its own functions throw the error.
  void proceed_with_others(const HostDriven& own) noexcept;

 private:
  std::mutex mutex_;  // of removals by other threads
  std::vector<HostDriven*> all_;
};

}  // namespace halocline::exchange
