// self: a subdomain that is its own neighbour through a periodic boundary. One operation copies owned cells straight
// to halo cells; source and target never overlap, because one is owned and the other is not.
#include "exchange/transport/factory.hpp"

namespace halocline::exchange {
namespace {

class Self final : public Endpoint {
 public:
  Self(const Channel& channel, Context& context)
      : channel_(&channel),
        backend_(context.backend),
        site_(&context.site(channel.message.from)),
        stream_(backend_->create_stream(site_->device(), device::Priority::normal, channel.label())),
        done_(backend_->create_event(site_->device())) {}

  void prepare(const Program& program) override {
    lists_.make(program, [&] {
      const auto copies = put_copies(payload_of(channel_->message, program.selection), site_->memory, site_->memory);
      return backend_->prepare(site_->device(), copies);
    });
  }

  void send(const Program& program) override {
    stream_->wait(*site_->open);
    stream_->copy(*lists_.of(program));
    stream_->record(*done_);
  }

  [[nodiscard]] const device::Event* sent() const override { return done_.get(); }
  void check() override { check_stream(*stream_); }
  void drain() override { stream_->synchronize(); }

 private:
  const Channel* channel_;
  device::Backend* backend_;
  Site* site_;
  Prepared<std::unique_ptr<device::CopyList>> lists_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> done_;
};

}  // namespace

Ends make_self(const Channel& channel, Context& context) { return {std::make_unique<Self>(channel, context), nullptr}; }

}  // namespace halocline::exchange
