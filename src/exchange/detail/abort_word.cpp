// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/abort_word.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "comm/agree.hpp"
#include "comm/requests.hpp"
#include "core/log.hpp"
#include "core/short_text.hpp"

namespace halocline::exchange {

/// claimed: 0 -> 1 by the rank that may write the text; word: set after the text is complete.
struct AbortWord::Segment {
  std::atomic<std::uint32_t> claimed;
  std::atomic<std::uint32_t> word;
  std::array<char, 504> text;
};

AbortWord::AbortWord(comm::RankGroup& node_comm)
    : rank_(static_cast<int>(node_comm.rank().value())), ranks_(node_comm.size()) {
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  try {
    window_ = node_comm.shared_window(sizeof(Segment));
    return;
  } catch (const CapabilityError& error) {  // all ranks of the node throw it
    if (rank_ == 0) {
      log(LogLevel::warning,
          fmt::format("ranks of this node learn of each other's failures by their deadlines alone: {}", error.what()));
    }
  }
  comm::agree_on(node_comm, [&] { own_.emplace(sizeof(Segment)); });
  rank_ = 0;
  ranks_ = 1;
}

AbortWord::Segment* AbortWord::segment(int rank) const {
  if (own_) return reinterpret_cast<Segment*>(own_->data());
  return reinterpret_cast<Segment*>(window_->segment(rank_id(rank)).data());
}

const std::atomic<std::uint32_t>* AbortWord::word() const { return &segment(rank_)->word; }

void AbortWord::raise(std::string_view reason, Cause cause) noexcept {
  for (int rank = 0; rank < ranks_; ++rank) {
    Segment* s = segment(rank);
    if (s->claimed.exchange(1, std::memory_order_relaxed) != 0) continue;
    const std::size_t n = std::min(reason.size(), s->text.size() - 1);
    std::memcpy(s->text.data(), reason.data(), n);
    s->text[n] = '\0';
    s->word.store(static_cast<std::uint32_t>(cause), std::memory_order_release);
  }
}

void AbortWord::raise(rank_id me, const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const DeadlineError& late) {
    raise(ShortText("rank {}: {}", me.value(), late.what()), Cause::lateness);
  } catch (const std::exception& caught) {
    raise(ShortText("rank {}: {}", me.value(), caught.what()));
  } catch (...) {
    raise(ShortText("rank {}: an exception of an unknown type", me.value()));
  }
}

std::string AbortWord::reason() const { return raised() ? std::string(segment(rank_)->text.data()) : std::string(); }

}  // namespace halocline::exchange
