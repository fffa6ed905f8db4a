// peer_copy: both subdomains belong to this process. Pack on the sender's device, copy to a landing buffer on the
// receiver's, unpack there; small messages are packed straight into it where the sender's device can reach it. The landing
// buffer is free when the receiver's site is open: the last unpack precedes that in its stream.
#include "exchange/transport/factory.hpp"

namespace halocline::exchange {
namespace {

/// Both ends; the sender drives it, the receiver unpacks.
class Link {
 public:
  Link(const Channel& channel, Context& context)
      : channel_(&channel),
        backend_(context.backend),
        from_(&context.site(channel.message.from)),
        to_(&context.site(channel.message.to)),
        put_at_most_(backend_->peer_access(from_->device(), to_->device()).yes ? context.tuning.put_at_most_bytes : 0),
        landing_(backend_->allocate(to_->device(), capacity())),
        stream_(backend_->create_stream(from_->device(), device::Priority::high, channel.label())),
        landed_(backend_->create_event(from_->device())) {
    if (static_cast<std::int64_t>(capacity()) > put_at_most_) {
      packed_ = backend_->allocate(from_->device(), capacity());
    }
  }

  void prepare(const Program& program) {
    parts_.make(program, [&] {
      const Payload payload = payload_of(channel_->message, program.selection);
      const bool put = payload.bytes <= put_at_most_;
      std::byte* target = put ? landing_->data() : packed_->data();
      return Part{put, backend_->prepare(from_->device(), pack_copies(payload, from_->memory, target)),
                  static_cast<std::size_t>(payload.bytes)};
    });
  }

  void send(const Program& program) {
    const Part& part = parts_.of(program);
    stream_->wait(*from_->open);
    if (part.put) stream_->wait(*to_->open);
    stream_->copy(*part.pack);
    if (!part.put) {
      stream_->wait(*to_->open);
      stream_->copy(landing_->data(), packed_->data(), part.bytes);
    }
    stream_->record(*landed_);
  }

  void collect_unpack(const Program& program, std::vector<device::StridedCopy>& copies) const {
    append(copies, unpack_copies(payload_of(channel_->message, program.selection), to_->memory, landing_->data()));
  }

  [[nodiscard]] const device::Event* landed() const { return landed_.get(); }
  void check() { check_stream(*stream_); }
  void drain() { stream_->synchronize(); }

 private:
  struct Part {
    bool put;  ///< packed straight into the landing buffer
    std::unique_ptr<device::CopyList> pack;
    std::size_t bytes = 0;
  };
  [[nodiscard]] std::size_t capacity() const { return static_cast<std::size_t>(payload_capacity(channel_->message)); }

  const Channel* channel_;
  device::Backend* backend_;
  Site* from_;
  Site* to_;
  std::int64_t put_at_most_;
  std::unique_ptr<device::Buffer> packed_;  ///< null where every payload is put
  std::unique_ptr<device::Buffer> landing_;
  Prepared<Part> parts_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> landed_;
};

class Sender final : public Endpoint {
 public:
  explicit Sender(std::shared_ptr<Link> link) : link_(std::move(link)) {}
  void prepare(const Program& program) override { link_->prepare(program); }
  void send(const Program& program) override { link_->send(program); }
  [[nodiscard]] const device::Event* sent() const override { return link_->landed(); }
  void check() override { link_->check(); }
  void drain() override { link_->drain(); }

 private:
  std::shared_ptr<Link> link_;
};

class Receiver final : public Endpoint {
 public:
  explicit Receiver(std::shared_ptr<Link> link) : link_(std::move(link)) {}
  [[nodiscard]] const device::Event* sent() const override { return link_->landed(); }
  void collect_unpack(const Program& program, std::vector<device::StridedCopy>& copies) override {
    link_->collect_unpack(program, copies);
  }

 private:
  std::shared_ptr<Link> link_;
};

}  // namespace

Ends make_peer_copy(const Channel& channel, Context& context) {
  auto link = std::make_shared<Link>(channel, context);
  return {std::make_unique<Sender>(link), std::make_unique<Receiver>(link)};
}

}  // namespace halocline::exchange
