// peer_copy: both subdomains belong to this process. Pack on the sender's device, copy to a landing buffer on the
// receiver's, unpack there. The landing buffer is free when the receiver's exchange begins: its stream has joined the
// last unpack before.
#include "exchange/transport/factory.hpp"

namespace halocline::exchange {
namespace {

/// Both ends; the sender drives it, the receiver joins it.
class Link {
 public:
  Link(const Channel& channel, Context& context)
      : channel_(&channel),
        backend_(context.backend),
        from_(&context.site(channel.message.from)),
        to_(&context.site(channel.message.to)),
        packed_(backend_->allocate(from_->device(), capacity())),
        landing_(backend_->allocate(to_->device(), capacity())),
        source_(backend_->create_stream(from_->device())),
        target_(backend_->create_stream(to_->device())),
        sent_(backend_->create_event(from_->device())),
        copied_(backend_->create_event(from_->device())),
        arrived_(backend_->create_event(to_->device())) {}

  void prepare(const Program& program) {
    parts_.make(program, [&] {
      const Payload payload = payload_of(channel_->message, program.selection);
      return Part{backend_->prepare(from_->device(), pack_copies(payload, from_->memory, packed_->data())),
                  backend_->prepare(to_->device(), unpack_copies(payload, to_->memory, landing_->data())),
                  static_cast<std::size_t>(payload.bytes)};
    });
  }

  void start(const Program& program) {
    const Part& part = parts_.of(program);
    source_->wait(*from_->begun);
    source_->copy(*part.pack);
    source_->record(*sent_);
    source_->wait(*to_->begun);
    source_->copy(landing_->data(), packed_->data(), part.bytes);
    source_->record(*copied_);
    target_->wait(*copied_);
    target_->copy(*part.unpack);
    target_->record(*arrived_);
  }

  void join_sender(device::Stream& user) { user.wait(*sent_); }
  void join_receiver(device::Stream& user) { user.wait(*arrived_); }
  void check() {
    check_stream(*source_);
    check_stream(*target_);
  }
  void drain() {
    source_->synchronize();
    target_->synchronize();
  }

 private:
  struct Part {
    std::unique_ptr<device::CopyList> pack;
    std::unique_ptr<device::CopyList> unpack;
    std::size_t bytes = 0;
  };
  [[nodiscard]] std::size_t capacity() const { return static_cast<std::size_t>(payload_capacity(channel_->message)); }

  const Channel* channel_;
  device::Backend* backend_;
  Site* from_;
  Site* to_;
  std::unique_ptr<device::Buffer> packed_;
  std::unique_ptr<device::Buffer> landing_;
  Prepared<Part> parts_;
  std::unique_ptr<device::Stream> source_;
  std::unique_ptr<device::Stream> target_;
  std::unique_ptr<device::Event> sent_;
  std::unique_ptr<device::Event> copied_;
  std::unique_ptr<device::Event> arrived_;
};

class Sender final : public Endpoint {
 public:
  explicit Sender(std::shared_ptr<Link> link) : link_(std::move(link)) {}
  void prepare(const Program& program) override { link_->prepare(program); }
  void start(const Program& program) override { link_->start(program); }
  void join(device::Stream& user) override { link_->join_sender(user); }
  void check() override { link_->check(); }
  void drain() override { link_->drain(); }

 private:
  std::shared_ptr<Link> link_;
};

class Receiver final : public Endpoint {
 public:
  explicit Receiver(std::shared_ptr<Link> link) : link_(std::move(link)) {}
  void prepare(const Program& /*program*/) override {}
  void start(const Program& /*program*/) override {}
  void join(device::Stream& user) override { link_->join_receiver(user); }

 private:
  std::shared_ptr<Link> link_;
};

}  // namespace

Ends make_peer_copy(const Channel& channel, Context& context) {
  auto link = std::make_shared<Link>(channel, context);
  return {std::make_unique<Sender>(link), std::make_unique<Receiver>(link)};
}

}  // namespace halocline::exchange
