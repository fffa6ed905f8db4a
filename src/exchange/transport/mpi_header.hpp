#pragma once

#include <fmt/core.h>

#include "exchange/program.hpp"
#include "exchange/transport/endpoint.hpp"

namespace halocline::exchange {

/// Throws ProtocolError where a message is not the one that this end expects.
inline void check_header(const Header& got, std::uint64_t token, std::uint64_t epoch, const Channel& channel) {
  if (got.token == token && got.epoch == epoch) return;
  throw ProtocolError(fmt::format(
      "{}: the two sides disagree on which fields and buffers are exchanged (exchange {} with token {:x} met exchange {} "
      "with token {:x}); all ranks must exchange and swap alike",
      channel.label(), epoch, token, got.epoch, got.token));
}

}  // namespace halocline::exchange
