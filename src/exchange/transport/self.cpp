// SPDX-License-Identifier: BSD-3-Clause
// self: a subdomain that is its own neighbour through a periodic boundary; and whatever else stays on one device. Owned cells
// are copied straight to halo cells; source and target never overlap, because one is owned and the other is not. No flags:
// the operation begins after the work in the streams of both subdomains, and both wait for its end.
#include "exchange/transport/factory.hpp"

namespace halocline::exchange {
namespace {

class Local final : public FusedEndpoint {
 public:
  Local(const Channel& channel, Context& context)
      : channel_(&channel), from_(&context.state(channel.message.from)), to_(&context.state(channel.message.to)) {}

  void contribute(const ExchangePlan& plan, device::Participant& /*participant*/,
                  std::vector<device::StridedCopy>& local) override {
    append(local, put_copies(payload_of(channel_->message, plan.selection), from_->memory, to_->received));
  }

 private:
  const Channel* channel_;
  const SubdomainState* from_;
  const SubdomainState* to_;
};

}  // namespace

Ends make_self(const Channel& channel, Context& context) {
  return {std::make_unique<Local>(channel, context), nullptr};
}

}  // namespace halocline::exchange
