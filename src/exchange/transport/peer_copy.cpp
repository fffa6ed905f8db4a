// SPDX-License-Identifier: BSD-3-Clause
// peer_copy: both subdomains belong to this process. Pack, copy by a copy engine (staged by the driver without peer access), unpack;
// events of both sides order it.
#include "exchange/transport/factory.hpp"

namespace halocline::exchange {
namespace {

/// Both ends of the copy; the sender drives it, the receiver unpacks. The receive buffer is free when the
/// receiver's state is open: the last unpack precedes that in its stream.
class Link {
 public:
  Link(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        backend_(context.backend),
        from_(&context.state(channel.message.from)),
        to_(&context.state(channel.message.to)),
        packed_(backend_->allocate(from_->device(), capacity())),
        receive_buffer_(backend_->allocate(to_->device(), capacity())),
        stream_(backend_->create_stream(from_->device(), device::Priority::high, channel.label())),
        landed_(backend_->create_event(from_->device())) {}

  void prepare(const ExchangePlan& plan) {
    parts_.make(plan, [&] {
      const Payload payload = payload_of(channel_->message, plan.selection);
      const auto described = [&](device::Work work, std::int64_t bytes) {
        return describe(*context_, work, from_->device(), *channel_, "send", bytes);
      };
      return Part{backend_->prepare(from_->device(), pack_copies(payload, from_->memory, packed_->data())),
                  static_cast<std::size_t>(payload.bytes), described(device::Work::pack, payload.bytes),
                  described(device::Work::wait_ready, 0), described(device::Work::copy, payload.bytes)};
    });
  }

  void send(const ExchangePlan& plan) {
    const Part& part = parts_.of(plan);
    stream_->wait(*from_->open);
    device::Tracer* tracer = context_->tracer;
    traced(tracer, part.packing, *stream_, [&] { stream_->copy(*part.pack); });
    traced(tracer, part.waiting, *stream_, [&] { stream_->wait(*to_->open); });
    traced(tracer, part.copying, *stream_,
           [&] { stream_->copy(receive_buffer_->data(), packed_->data(), part.bytes); });
    stream_->record(*landed_);
  }

  void collect_unpack(const ExchangePlan& plan, std::vector<device::StridedCopy>& copies) const {
    append(copies,
           unpack_copies(payload_of(channel_->message, plan.selection), to_->received, receive_buffer_->data()));
  }

  [[nodiscard]] const device::Event* landed() const { return landed_.get(); }
  void each_stream(const VisitStream& visit) { visit(stream_); }

 private:
  struct Part {
    std::unique_ptr<device::CopyList> pack;
    std::size_t bytes = 0;
    std::size_t packing, waiting, copying;  ///< for the tracer
  };
  [[nodiscard]] std::size_t capacity() const { return static_cast<std::size_t>(payload_capacity(channel_->message)); }

  const Channel* channel_;
  Context* context_;
  device::Backend* backend_;
  SubdomainState* from_;
  SubdomainState* to_;
  std::unique_ptr<device::Buffer> packed_;
  std::unique_ptr<device::Buffer> receive_buffer_;
  Prepared<Part> parts_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> landed_;
};

class PeerSender final : public ScheduledEndpoint {
 public:
  explicit PeerSender(std::shared_ptr<Link> link) : link_(std::move(link)) {}
  void prepare(const ExchangePlan& plan) override { link_->prepare(plan); }
  void send(const ExchangePlan& plan) override { link_->send(plan); }
  [[nodiscard]] const device::Event* sent() const override { return link_->landed(); }
  [[nodiscard]] bool joins_sites() const override { return true; }
  void each_stream(const VisitStream& visit) override { link_->each_stream(visit); }

 private:
  std::shared_ptr<Link> link_;
};

class PeerReceiver final : public ScheduledEndpoint {
 public:
  explicit PeerReceiver(std::shared_ptr<Link> link) : link_(std::move(link)) {}
  [[nodiscard]] const device::Event* sent() const override { return link_->landed(); }
  void collect_unpack(const ExchangePlan& plan, std::vector<device::StridedCopy>& copies) override {
    link_->collect_unpack(plan, copies);
  }

 private:
  std::shared_ptr<Link> link_;
};

}  // namespace

Ends make_peer_copy(const Channel& channel, Context& context) {
  auto link = std::make_shared<Link>(channel, context);
  return {std::make_unique<PeerSender>(link), std::make_unique<PeerReceiver>(link)};
}

}  // namespace halocline::exchange
