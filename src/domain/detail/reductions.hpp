// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"
#include "exchange/exchange.hpp"
#include "halocline/domain.hpp"
#include "plan/plan.hpp"

namespace halocline {

/// What Domain::reduce needs: each device reduces its cells to a number, and in each round of an all-gather receives the numbers of
/// others and combines them. A round is an exchange of its own, whose fields are the reductions.
class Reductions {
 public:
  struct Item {
    field_id field;
    Reduce what = Reduce::sum;
  };
  /// "max_abs of 'u'"
  [[nodiscard]] static std::string name_of(const Item& item, const FieldDescriptor& field);

  /// Allocates. cells: the geometry of the domain, whose local subdomains are given. All must outlive this. Throws InvalidArgument
  /// for arrays whose elements are not aligned.
  Reductions(const partition::Geometry& cells, device::Backend& backend,
             std::vector<exchange::LocalSubdomain> subdomains, std::vector<Item> items);
  Reductions(const Reductions&) = delete;
  Reductions& operator=(const Reductions&) = delete;

  [[nodiscard]] std::size_t rounds() const { return rounds_.size(); }
  [[nodiscard]] const partition::Geometry& geometry(std::size_t round) const { return rounds_[round].geometry; }
  [[nodiscard]] const std::vector<exchange::LocalSubdomain>& subdomains(std::size_t round) const {
    return rounds_[round].subdomains;
  }
  /// Sets a round's connected exchange, its group, and how its messages go.
  void use(std::size_t round, std::unique_ptr<comm::RankGroup> comm, std::unique_ptr<exchange::Exchange> exchange,
           const std::vector<RoutedMessage>& routed);

  /// Enqueues reductions, each once and in order, of the fields' given buffers. cells: the domain's exchange.
  void run(std::span<device::Stream* const> streams, const std::vector<reduction_id>& which,
           std::span<const int> buffers, exchange::Exchange& cells);
  /// By the local subdomain's place. It stays where it is.
  [[nodiscard]] const double* result(std::size_t place, reduction_id reduction) const;
  /// Enqueues a copy of the first local subdomain's result to the host. The value is there when the stream's work is done.
  [[nodiscard]] const double* fetch(reduction_id reduction, device::Stream& stream);
  [[nodiscard]] bool has_run(reduction_id reduction) const { return has_run_[reduction.index()]; }

  /// Of the rounds: see exchange::Exchange.
  [[nodiscard]] Verdict capturable() const;
  [[nodiscard]] bool joins_devices() const;
  void forget_captured();
  [[nodiscard]] std::exception_ptr explained(std::exception_ptr error) const;
  [[nodiscard]] std::exception_ptr failure() const;
  /// A line for Domain::explain().
  [[nodiscard]] std::string text() const;

  /// Collective.
  void close(std::span<device::Stream* const> streams);
  /// See exchange::Exchange::abandon; leaks the memory.
  void abandon(std::string_view why) noexcept;

 private:
  struct Round {
    partition::Geometry geometry;
    std::vector<exchange::LocalSubdomain> subdomains{};
    std::unique_ptr<comm::RankGroup> comm{};
    std::unique_ptr<exchange::Exchange> exchange{};
    std::string transports{};
  };
  /// The operations of one call, prepared when it is first made.
  struct Work {
    std::vector<reduction_id> which;
    std::vector<int> buffers;
    exchange::Selection selection;
    /// By round and place: what comes before the round; then what comes after the last one.
    std::vector<std::vector<std::unique_ptr<device::ReductionList>>> lists;
  };
  [[nodiscard]] double* numbers(std::size_t place, reduction_id reduction, std::size_t round) const;
  [[nodiscard]] device::StridedReduction of_cells(std::size_t place, reduction_id reduction, int buffer) const;
  [[nodiscard]] device::StridedReduction of_round(std::size_t place, reduction_id reduction, std::size_t round) const;
  [[nodiscard]] double* target(std::size_t place, reduction_id reduction, std::size_t round) const;
  [[nodiscard]] const Work& work_of(const std::vector<reduction_id>& which, std::span<const int> buffers);

  const partition::Geometry* cells_;
  device::Backend* backend_;
  std::vector<exchange::LocalSubdomain> subdomains_;
  std::vector<Item> items_;
  std::vector<Round> rounds_;
  std::vector<std::unique_ptr<device::ShareableBuffer>>
      memory_;  ///< by place: the results and numbers of all reductions
  std::unique_ptr<device::Buffer> on_host_;
  std::vector<bool> has_run_;
  std::vector<std::unique_ptr<Work>> works_;
};

}  // namespace halocline
