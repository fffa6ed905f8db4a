// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/net/proxy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "halocline/error.hpp"

namespace halocline::exchange::net {
namespace {

// In the place of a header's epoch.
constexpr std::uint64_t given_up = ~std::uint64_t{0};
constexpr std::uint64_t taking_leave = given_up - 1;

Header header_of(const Slot& slot) {
  Header header;
  std::memcpy(&header, slot.message.data(), sizeof header);
  return header;
}

}  // namespace

std::size_t Proxy::open(const PortEnd& end) {
  auto port = std::make_unique<Port>();
  port->end = end;
  for (std::size_t turn = 0; turn < 2; ++turn) {
    port->receives[turn] = messages_->receive_at_most(end.in[turn].message, end.peer, end.in_tag);
  }
  ports_.push_back(std::move(port));
  const std::lock_guard lock(mutex_);
  bytes_.emplace_back();
  return ports_.size() - 1;
}

void Proxy::announce(std::size_t port, std::uint64_t token, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_.at(port)[token] = bytes;
}

std::size_t Proxy::bytes_of(std::size_t port, std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  return bytes_.at(port).at(token);
}

bool Proxy::progress() {
  messages_->progress();
  bool moved = false;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    Port& port = *ports_[i];
    try {
      moved = progress_of(port, i) || moved;
    } catch (const CommunicationError& error) {
      throw CommunicationError(fmt::format("{}, exchange {}: {}", port.end.label, port.raised + 1, error.what()));
    }
  }
  return moved;
}

bool Proxy::progress_of(Port& port, std::size_t number) {
  bool moved = put(port, number);
  while (port.complete < port.started && port.sends[(port.complete + 1) % 2]->test()) {
    port.sends[++port.complete % 2].reset();
    moved = true;
  }
  // The device has begun exchange `started`, so that it has copied what landed in the one before.
  while (!port.left && port.expected <= port.started && port.expected < port.raised + 2) {
    port.receives[++port.expected % 2]->start();
  }
  return land(port) || moved;
}

/// Sends the next slot, if the device has filled it.
bool Proxy::put(Port& port, std::size_t number) {
  const std::uint64_t next = port.started + 1;
  const Slot& slot = port.end.out[next % 2];
  if (std::atomic_ref(slot.flag->epoch).load(std::memory_order_acquire) != next || port.sends[next % 2]) return false;
  const Header header{std::atomic_ref(slot.flag->token).load(std::memory_order_relaxed), next};
  std::memcpy(slot.message.data(), &header, sizeof header);
  const std::size_t bytes = sizeof header + bytes_of(number, header.token);
  port.sends[next % 2] = messages_->send(slot.message.first(bytes), port.end.peer, port.end.out_tag);
  port.started = next;
  return true;
}

/// Raises the flag of the next message, if that has landed.
bool Proxy::land(Port& port) {
  const std::uint64_t next = port.raised + 1;
  if (port.left || next > port.expected || !port.receives[next % 2]->test()) return false;
  const Slot& slot = port.end.in[next % 2];
  const Header header = header_of(slot);
  if (header.epoch == given_up) {
    const auto* text = reinterpret_cast<const char*>(slot.message.data() + sizeof header);
    throw CommunicationError(fmt::format("the other end has given up: {}", text));
  }
  if (header.epoch == taking_leave) {
    port.left = true;
    return true;
  }
  if (header.epoch != next) {
    throw CommunicationError(
        fmt::format("a put of exchange {} has landed; expected was that of {}", header.epoch, next));
  }
  if (port.complete + 1 < next) return false;
  const device::FlagSignal signal{port.end.in[0].flag, header.token, port.end.in[1].flag};
  backend_->signal_from_host({&signal, 1}, next);
  port.raised = next;
  return true;
}

bool Proxy::under_way() const {
  return std::ranges::any_of(
      ports_, [](const auto& port) { return port->raised < port->started || port->complete < port->started; });
}

bool Proxy::done(std::uint64_t epoch) const {
  return std::ranges::all_of(ports_,
                             [&](const auto& port) { return port->raised >= epoch && port->complete >= epoch; });
}

void Proxy::list_late(std::uint64_t epoch, LateMessages& messages) const {
  for (const auto& port : ports_) {
    const bool packing = port->started < epoch;
    const bool sending = !packing && port->complete < epoch;
    if (!packing && !sending && port->raised >= epoch) continue;
    const std::string what =
        packing ? "packing" : fmt::format("{} {} under way", messages_->name(), sending ? "send" : "receive");
    messages.add(port->end.peer, fmt::format("{}: {}", port->end.label, what));
  }
}

void Proxy::notify(const Port& port, std::uint64_t mark, std::string_view text) {
  Notice& notice = notices_.emplace_back();
  text = text.substr(0, text_bytes - 1);
  notice.bytes.resize(sizeof(Header) + text.size() + 1);
  const Header header{0, mark};
  std::memcpy(notice.bytes.data(), &header, sizeof header);
  std::ranges::copy(std::as_bytes(std::span(text)), notice.bytes.begin() + sizeof header);
  notice.send = messages_->send(notice.bytes, port.end.peer, port.end.out_tag);
}

void Proxy::give_up(std::string_view reason) {
  for (const auto& port : ports_) {
    try {
      notify(*port, given_up, reason);
    } catch (const CommunicationError&) {  // that end cannot be reached: it ends at its own deadline
      notices_.pop_back();
    }
  }
}

bool Proxy::flush() {
  messages_->progress();
  std::erase_if(notices_, [](const Notice& notice) { return notice.send->test(); });
  return notices_.empty();
}

bool Proxy::leave() {
  if (!leaving_) {
    for (const auto& port : ports_) notify(*port, taking_leave, {});
    leaving_ = true;
  }
  (void)progress();
  // The other end may have left before this one's last put is complete here.
  const auto over = [](const auto& port) { return port->left && port->complete == port->started; };
  return flush() && std::ranges::all_of(ports_, over);
}

}  // namespace halocline::exchange::net
