// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "exchange/net/engine.hpp"
#include "exchange/net/messages.hpp"

namespace halocline::exchange::net {

/// An engine by messages: a put is one message, received in place by a receive that was posted when the exchange before began.
class Proxy final : public Engine {
 public:
  /// messages: its own, which nobody else calls. Both must outlive it.
  Proxy(Messages& messages, device::Backend& backend) : messages_(&messages), backend_(&backend) {}

  std::size_t open(const PortEnd& end) override;
  void announce(std::size_t port, std::uint64_t token, std::size_t bytes) override;
  bool progress() override;
  [[nodiscard]] bool under_way() const override;
  [[nodiscard]] bool done(std::uint64_t epoch) const override;
  void list_late(std::uint64_t epoch, LateMessages& messages) const override;
  void give_up(std::string_view reason) override;
  [[nodiscard]] bool flush() override;
  [[nodiscard]] bool leave() override;

 private:
  struct Port {
    PortEnd end;
    std::array<std::unique_ptr<comm::Request>, 2> sends;  ///< by slot; null if its last put is complete
    std::array<std::unique_ptr<comm::PersistentRequest>, 2> receives;
    std::uint64_t started = 0;   ///< puts
    std::uint64_t complete = 0;  ///< puts that have left their slots
    std::uint64_t expected = 0;  ///< messages whose receive was started
    std::uint64_t raised = 0;    ///< messages that have landed
    bool left = false;           ///< the other end has
  };
  /// A message that is not of an exchange.
  struct Notice {
    std::vector<std::byte> bytes;
    std::unique_ptr<comm::Request> send;
  };
  bool progress_of(Port& port, std::size_t number);
  bool put(Port& port, std::size_t number);
  bool land(Port& port);
  void notify(const Port& port, std::uint64_t mark, std::string_view text);
  [[nodiscard]] std::size_t bytes_of(std::size_t port, std::uint64_t token);

  Messages* messages_;
  device::Backend* backend_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<Notice> notices_;
  bool leaving_ = false;
  std::mutex mutex_;  ///< of bytes_
  std::vector<std::map<std::uint64_t, std::size_t>> bytes_;
};

}  // namespace halocline::exchange::net
