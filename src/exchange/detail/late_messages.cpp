// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/late_messages.hpp"

#include <fmt/core.h>

namespace halocline::exchange {
namespace {

constexpr std::size_t most = 4;

}  // namespace

void LateMessages::add(rank_id peer, std::string_view message) {
  if (++of_rank_[peer] > most) return;
  if (!first_.empty()) first_ += "; ";
  first_ += message;
}

std::string LateMessages::text() const {
  std::string text = first_;
  for (const auto& [peer, count] : of_rank_) {
    if (count > most) text += fmt::format("; {} more with rank {}", count - most, peer.value());
  }
  return text;
}

}  // namespace halocline::exchange
