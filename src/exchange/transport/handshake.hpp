// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "exchange/detail/exchange_plan.hpp"
#include "exchange/transport/remote_flag.hpp"

namespace halocline::exchange {

// The two flags that coordinate a message between devices that access each other's memory
// (docs/decisions/0010-direct-protocol.md):
//   ready    in the sender's mailbox, posted by the receiver when its exchange begins: its halo may be written;
//   arrived  in the receiver's mailbox, posted by the sender after its last store; or several, one after each part.
// Each side uses the epoch of its own subdomain; both advance by one in each exchange. For reserve,
// publish and connect see Endpoint.

class SenderFlags {
 public:
  SenderFlags(const Channel& channel, Context& context)
      : context_(&context),
        state_(&context.state(channel.message.from)),
        guard_(make_guard(channel, context, "ready")) {}

  void reserve() { ready_ = state_->mailbox.reserve_flags(1); }
  void publish(ByteWriter& writer) const { writer.put(RemotePlace{state_->mailbox.handle(), ready_}); }
  void connect(ByteReader& reader) {
    arrived_ = flag_of(*context_->mappings, state_->device(), reader.get<RemotePlace>());
  }

  void watch(std::vector<const device::Flag*>& flags) const { flags.push_back(state_->mailbox.flag(ready_)); }

  [[nodiscard]] device::FlagWait ready(const ExchangePlan& plan, int part = 0) const {
    return {state_->mailbox.flag(ready_), plan.token, guard_, Mailbox::nth(arrived_, part)};
  }
  [[nodiscard]] device::FlagSignal arrived(const ExchangePlan& plan, int part = 0) const {
    return {Mailbox::nth(arrived_, part), plan.token};
  }

 private:
  Context* context_;
  SubdomainState* state_;
  std::size_t ready_ = 0;
  device::Flag* arrived_ = nullptr;
  std::shared_ptr<const device::WaitGuard> guard_;
};

class ReceiverFlags {
 public:
  ReceiverFlags(const Channel& channel, Context& context)
      : context_(&context),
        state_(&context.state(channel.message.to)),
        guard_(make_guard(channel, context, "arrived")) {}

  void reserve(int parts = 1) {
    parts_ = parts;
    arrived_ = state_->mailbox.reserve_flags(parts);
  }
  void publish(ByteWriter& writer) const { writer.put(RemotePlace{state_->mailbox.handle(), arrived_}); }
  void connect(ByteReader& reader) {
    ready_ = flag_of(*context_->mappings, state_->device(), reader.get<RemotePlace>());
  }

  void watch(std::vector<const device::Flag*>& flags) const {
    for (int part = 0; part < parts_; ++part) flags.push_back(Mailbox::nth(state_->mailbox.flag(arrived_), part));
  }

  [[nodiscard]] device::FlagSignal ready(const ExchangePlan& plan) const { return {ready_, plan.token}; }
  [[nodiscard]] device::FlagWait arrived(const ExchangePlan& plan, int part = 0) const {
    return {Mailbox::nth(state_->mailbox.flag(arrived_), part), plan.token, guard_, ready_};
  }

 private:
  Context* context_;
  SubdomainState* state_;
  std::size_t arrived_ = 0;
  int parts_ = 0;
  device::Flag* ready_ = nullptr;
  std::shared_ptr<const device::WaitGuard> guard_;
};

}  // namespace halocline::exchange
