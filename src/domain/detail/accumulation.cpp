// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/accumulation.hpp"

#include <algorithm>
#include <utility>

#include "core/leak.hpp"
#include "device/memory_account.hpp"

namespace halocline {

Accumulation::Accumulation(const partition::Geometry& forward, device::Backend& backend,
                           std::vector<exchange::LocalSubdomain> subdomains)
    : backend_(&backend), returned_(forward), subdomains_(std::move(subdomains)) {
  const device::CountMemory counted(device::Purpose::messages);
  for (const exchange::LocalSubdomain& subdomain : subdomains_) {
    const std::int64_t bytes = std::max<std::int64_t>(returned_.bytes(subdomain.id), 1);
    memory_.push_back(backend.allocate_shareable(subdomain.device, static_cast<std::size_t>(bytes)));
    returning_.push_back(returned_.local(subdomain, *memory_.back()));
  }
}

void Accumulation::use(std::unique_ptr<comm::RankGroup> comm, std::unique_ptr<exchange::Exchange> exchange,
                       std::set<subdomain_id> in_place) {
  comm_ = std::move(comm);
  exchange_ = std::move(exchange);
  in_place_ = std::move(in_place);
}

Accumulation::Work Accumulation::prepare(int device, const std::vector<device::StridedSum>& sums,
                                         Combine combine) const {
  if (sums.empty()) return {};
  if (combine == Combine::add) return {backend_->prepare_sums(device, sums), nullptr};
  return {nullptr, backend_->prepare(device, exchange::ReturnedHalos::replacing(sums))};
}

void Accumulation::Work::enqueue(device::Stream& stream) const {
  if (sums) stream.add(*sums);
  if (copies) stream.copy(*copies);
}

const Accumulation::Arrival& Accumulation::arrival_of(const exchange::Selection& forward, Combine combine) {
  for (const auto& known : arrivals_) {
    if (known->combine == combine && known->forward == forward) return *known;
  }
  auto made = std::make_unique<Arrival>(Arrival{forward, combine, returned_.selection(forward), {}, {}});
  for (std::size_t i = 0; i < subdomains_.size(); ++i) {
    const exchange::LocalSubdomain& subdomain = subdomains_[i];
    const auto sums = returned_.sums(subdomain, returning_[i], made->returned, in_place_.contains(subdomain.id));
    made->own.push_back(prepare(subdomain.device, sums.own, combine));
    made->arrived.push_back(prepare(subdomain.device, sums.arrived, combine));
    made->overlaps = made->overlaps || !sums.own.empty();
  }
  arrivals_.push_back(std::move(made));
  return *arrivals_.back();
}

void Accumulation::run(std::span<device::Stream* const> streams, const exchange::Selection& forward, Combine combine) {
  const Arrival* arrival = nullptr;
  exchange_->guard([&] { arrival = &arrival_of(forward, combine); });
  const auto enqueue = [&](const std::vector<Work>& work) {
    exchange_->guard([&] {
      for (std::size_t i = 0; i < streams.size(); ++i) work[i].enqueue(*streams[i]);
    });
  };
  exchange_->start(streams, arrival->returned,
                   arrival->overlaps ? exchange::Overlap::possible : exchange::Overlap::none);
  enqueue(arrival->own);  // reads halos, as the exchange does, and writes owned cells, which it does not touch
  exchange_->finish();
  enqueue(arrival->arrived);
}

void Accumulation::close(std::span<device::Stream* const> streams) {
  exchange_->close(streams);
  exchange_.reset();
  comm_->close();
  comm_.reset();
}

void Accumulation::abandon(std::string_view why) noexcept {
  if (exchange_) exchange_->abandon(why);
  exchange_.reset();
  for (auto& memory : memory_) leak(std::move(memory));
  memory_.clear();
  for (auto& arrival : arrivals_) leak(std::move(arrival));
  arrivals_.clear();
  leak(std::move(comm_));
}

}  // namespace halocline
