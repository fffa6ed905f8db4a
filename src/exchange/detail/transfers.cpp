// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/transfers.hpp"

#include <algorithm>
#include <utility>

#include "comm/agree.hpp"
#include "comm/requests.hpp"
#include "core/leak.hpp"

namespace halocline::exchange {

Transfers::~Transfers() {
  for (auto& transfer : transfers_) {
    if (transfer->request) leak(std::move(transfer));
  }
}

void Transfers::send(std::vector<std::byte> bytes, rank_id to, int tag) {
  Transfer& transfer = *transfers_.emplace_back(std::make_unique<Transfer>(std::move(bytes), false));
  transfer.request = comm_->send(transfer.bytes, to, tag);
}

void Transfers::receive(std::size_t bytes, rank_id from, int tag) {
  Transfer& transfer = *transfers_.emplace_back(std::make_unique<Transfer>(std::vector<std::byte>(bytes), true));
  transfer.request = comm_->receive(transfer.bytes, from, tag);
}

std::vector<std::vector<std::byte>> Transfers::wait(Duration timeout, std::string_view what) {
  const auto all_done = [this] {
    bool all = true;
    for (const auto& transfer : transfers_) {
      if (transfer->request && transfer->request->test()) transfer->request.reset();
      all = all && !transfer->request;
    }
    return all;
  };
  try {
    comm::wait_for_others(*comm_, all_done, timeout, what);
  } catch (...) {
    comm_->poison();
    throw;
  }
  std::vector<std::vector<std::byte>> received;
  for (const auto& transfer : transfers_) {
    if (transfer->received) received.push_back(std::move(transfer->bytes));
  }
  transfers_.clear();
  return received;
}

}  // namespace halocline::exchange
