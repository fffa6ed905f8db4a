// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi/pending.hpp"

#include <algorithm>

#include "comm/mpi/check.hpp"
#include "comm/mpi/requests.hpp"

namespace halocline::comm::mpi {

void Pending::make_room() {
  const std::size_t wanted = transfers_.size() + 1;
  if (statuses_.size() >= wanted) return;  // the last one to grow
  transfers_.reserve(2 * wanted);
  requests_.reserve(2 * wanted);
  done_.resize(2 * wanted);
  statuses_.resize(2 * wanted);
}

void Pending::add(Transfer& transfer) noexcept {
  transfers_.push_back(&transfer);
  requests_.push_back(transfer.request);
  transfer.outcome.reset();
  transfer.answered = polls_;
}

void Pending::remove(const Transfer& transfer) noexcept {
  const auto found = std::ranges::find(transfers_, &transfer);
  if (found == transfers_.end()) return;
  requests_.erase(requests_.begin() + (found - transfers_.begin()));
  transfers_.erase(found);
}

bool Pending::test(Transfer& transfer) {
  if (!transfer.outcome && transfer.answered == polls_) poll();
  transfer.answered = polls_;
  return transfer.outcome.has_value();
}

void Pending::poll() {
  int count = 0;
  const int code =
      MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, done_.data(), statuses_.data());
  ++polls_;
  int error_class = code;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &error_class);
  if (error_class != MPI_ERR_IN_STATUS) check(code, "MPI_Testsome");
  if (count == MPI_UNDEFINED) return;
  for (int i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(done_[static_cast<std::size_t>(i)]);
    const MPI_Status& status = statuses_[static_cast<std::size_t>(i)];
    Transfer& transfer = *transfers_[place];
    transfer.request = requests_[place];
    transfer.outcome = {error_class == MPI_ERR_IN_STATUS ? status.MPI_ERROR : MPI_SUCCESS, status};
    transfers_[place] = nullptr;
  }
  if (count == 0) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    if (transfers_[i] == nullptr) continue;
    transfers_[kept] = transfers_[i];
    requests_[kept++] = requests_[i];
  }
  transfers_.resize(kept);
  requests_.resize(kept);
}

}  // namespace halocline::comm::mpi
