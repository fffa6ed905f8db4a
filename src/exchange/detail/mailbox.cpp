// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/mailbox.hpp"

namespace halocline::exchange {
namespace {

constexpr std::size_t line_bytes = 128;
constexpr std::size_t aligned(std::size_t bytes) { return round_up(bytes, line_bytes); }

}  // namespace

std::size_t Mailbox::reserve_flags(int count) {
  return reserve_receive_buffer(static_cast<std::int64_t>(line_bytes) * count);
}

device::Flag* Mailbox::nth(device::Flag* first, int n) {
  return reinterpret_cast<device::Flag*>(reinterpret_cast<std::byte*>(first) +
                                         line_bytes * static_cast<std::size_t>(n));
}

std::size_t Mailbox::reserve_receive_buffer(std::int64_t bytes) {
  const std::size_t offset = bytes_;
  bytes_ += aligned(static_cast<std::size_t>(bytes));
  return offset;
}

void Mailbox::allocate(device::Backend& backend, int device) { buffer_ = backend.allocate_shareable(device, bytes_); }

device::Flag* Mailbox::flag(std::size_t offset) const { return reinterpret_cast<device::Flag*>(at(offset)); }

std::uint64_t* Mailbox::epoch() const { return reinterpret_cast<std::uint64_t*>(at(0)); }
std::uint64_t* Mailbox::fused_epoch() const { return reinterpret_cast<std::uint64_t*>(at(128)); }

}  // namespace halocline::exchange
