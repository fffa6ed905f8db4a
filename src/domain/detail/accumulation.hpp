// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"
#include "exchange/exchange.hpp"
#include "exchange/returned_halos.hpp"
#include "halocline/domain.hpp"

namespace halocline {

/// What Domain::accumulate needs in addition to the domain's exchange: a second exchange, which sends halos back, with
/// a separate group and memory. Made by the first call.
class Accumulation {
 public:
  /// forward: the domain's local subdomains. All must outlive this.
  Accumulation(const partition::Geometry& forward, device::Backend& backend,
               std::vector<exchange::LocalSubdomain> subdomains);
  Accumulation(const Accumulation&) = delete;
  Accumulation& operator=(const Accumulation&) = delete;

  [[nodiscard]] const partition::Geometry& geometry() const { return returned_.geometry(); }
  [[nodiscard]] const std::vector<exchange::LocalSubdomain>& subdomains() const { return returning_; }
  /// Sets the connected exchange and the group that it uses. in_place: the subdomains whose own halos are not moved.
  void use(std::unique_ptr<comm::RankGroup> comm, std::unique_ptr<exchange::Exchange> exchange,
           std::set<subdomain_id> in_place);
  [[nodiscard]] exchange::Exchange& exchange() const { return *exchange_; }
  /// The exchange's failure. None once the exchange is closed, also if the rest of close() failed.
  [[nodiscard]] std::exception_ptr failure() const { return exchange_ ? exchange_->failure() : nullptr; }

  /// Enqueues the accumulation in the streams. forward: what an exchange would send, with whole depths.
  void run(std::span<device::Stream* const> streams, const exchange::Selection& forward, Combine combine);

  /// Collective.
  void close(std::span<device::Stream* const> streams);
  /// See exchange::Exchange::abandon; leaks the memory.
  void abandon(std::string_view why) noexcept;

 private:
  /// Sums or copies of a subdomain, as one operation; both null if there is nothing to do.
  struct Work {
    std::unique_ptr<device::SumList> sums;
    std::unique_ptr<device::CopyList> copies;
    void enqueue(device::Stream& stream) const;
  };
  /// The operations for one selection, prepared when it is first used.
  struct Arrival {
    exchange::Selection forward;
    Combine combine;
    exchange::Selection returned;
    std::vector<Work> own;      ///< by subdomain: work that needs no data from other subdomains
    std::vector<Work> arrived;  ///< by subdomain: work that needs such data
    /// Whether there is work while halos are being sent.
    bool overlaps = false;
  };
  [[nodiscard]] Work prepare(int device, const std::vector<device::StridedSum>& sums, Combine combine) const;
  [[nodiscard]] const Arrival& arrival_of(const exchange::Selection& forward, Combine combine);

  device::Backend* backend_;
  exchange::ReturnedHalos returned_;
  std::vector<exchange::LocalSubdomain> subdomains_;
  std::vector<std::unique_ptr<device::ShareableBuffer>> memory_;  ///< by subdomain
  std::vector<exchange::LocalSubdomain> returning_;               ///< the same subdomains in the second exchange
  std::set<subdomain_id> in_place_;
  std::unique_ptr<comm::RankGroup> comm_;
  std::unique_ptr<exchange::Exchange> exchange_;
  std::vector<std::unique_ptr<Arrival>> arrivals_;
};

}  // namespace halocline
