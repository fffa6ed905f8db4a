// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "exchange/net/ucx/library.hpp"
#include "halocline/ids.hpp"

namespace halocline::exchange::net::ucx {

/// Throws CommunicationError "UCX <what>: <status>", unless it is UCS_OK.
void check(ucs_status_t status, std::string_view what);

/// What a call of UCX has begun: null where it was done at once, an error as a pointer, or a request.
class Operation {
 public:
  Operation() = default;
  explicit Operation(ucs_status_ptr_t begun) : begun_(begun) {}
  Operation(Operation&& other) noexcept : begun_(std::exchange(other.begun_, nullptr)) {}
  Operation& operator=(Operation&& other) noexcept;
  ~Operation() { release(); }

  /// True when it is done, also before it has begun. Throws as check().
  [[nodiscard]] bool done(std::string_view what);
  [[nodiscard]] bool under_way() const;
  [[nodiscard]] void* get() const { return begun_; }

 private:
  void release() noexcept;
  ucs_status_ptr_t begun_ = nullptr;
};

/// A worker of UCP with its endpoints, one for each rank that it sends to. Owner: the destructor needs close_endpoints() before it.
class Worker {
 public:
  Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  /// With which another worker makes an endpoint to this one.
  [[nodiscard]] std::vector<std::byte> address() const;
  void set_addresses(std::vector<std::vector<std::byte>> by_rank) { addresses_ = std::move(by_rank); }
  /// Makes the endpoint if there is none.
  void connect(rank_id to);
  [[nodiscard]] Operation send(std::span<const std::byte> bytes, rank_id to, ucp_tag_t tag);
  [[nodiscard]] Operation receive(std::span<std::byte> bytes, ucp_tag_t tag) const;
  void cancel(const Operation& operation) const;
  void progress() const { Library::instance().worker_progress(worker_); }

  /// The ranks that it has endpoints to.
  [[nodiscard]] std::vector<rank_id> peers() const;
  /// Which paths UCX has chosen for the messages to a rank: "tcp/eth0, sysv/memory".
  [[nodiscard]] std::string paths(rank_id to) const;
  [[nodiscard]] std::size_t sent_bytes(rank_id to) const { return endpoints_.at(to).sent_bytes; }
  /// Waits until what was sent has left. Throws DeadlineError.
  void close_endpoints(const Deadline& deadline);

 private:
  struct Endpoint {
    ucp_ep_h handle = nullptr;
    std::size_t sent_bytes = 0;
  };
  const Library& ucp_ = Library::instance();
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  std::vector<std::vector<std::byte>> addresses_;
  std::map<rank_id, Endpoint> endpoints_;
};

}  // namespace halocline::exchange::net::ucx
