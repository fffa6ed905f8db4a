// mpi_staged: any pair of ranks. Pack, copy to pinned host memory, MPI, copy to the device, unpack. Each end is a
// state machine of the host; what the device does between two states is enqueued in the end's own stream.
#include <cstring>

#include "exchange/transport/factory.hpp"
#include "exchange/transport/mpi_header.hpp"

namespace halocline::exchange {
namespace {

std::size_t capacity_of(const Channel& channel) {
  return static_cast<std::size_t>(payload_capacity(channel.message));
}

class Sender final : public Endpoint {
 public:
  Sender(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        site_(&context.site(channel.message.from)),
        packed_(context.backend->allocate(site_->device(), capacity_of(channel))),
        pinned_(context.backend->allocate_pinned(sizeof(Header) + capacity_of(channel))),
        stream_(context.backend->create_stream(site_->device(), device::Priority::high)),
        sent_(context.backend->create_event(site_->device())),
        staged_(context.backend->create_event(site_->device())) {}

  void prepare(const Program& program) override {
    parts_.make(program, [&] {
      const Payload payload = payload_of(channel_->message, program.selection);
      const auto bytes = static_cast<std::size_t>(payload.bytes);
      return Part{context_->backend->prepare(site_->device(),
                                             pack_copies(payload, site_->memory, packed_->data())),
                  context_->comm->persistent_send({pinned_->data(), sizeof(Header) + bytes},
                                                  channel_->receiver, channel_->tag),
                  bytes};
    });
  }

  void start(const Program& program) override {
    // finish() of the last exchange saw the send done, so the pinned buffer is free.
    part_ = &parts_.of(program);
    const Header header{program.token, ++epoch_};
    std::memcpy(pinned_->data(), &header, sizeof header);
    stream_->wait(*site_->begun);
    stream_->copy(*part_->pack);
    stream_->record(*sent_);
    stream_->copy(pinned_->data() + sizeof(Header), packed_->data(), part_->bytes);
    stream_->record(*staged_);
    state_ = State::staging;
  }

  bool progress() override {
    if (state_ == State::staging && staged_->query()) {
      part_->request->start();
      state_ = State::sending;
    }
    if (state_ == State::sending && part_->request->test()) state_ = State::idle;
    return state_ == State::idle;
  }

  void join(device::Stream& user) override { user.wait(*sent_); }
  void check() override { check_stream(*stream_); }
  void drain() override { stream_->synchronize(); }
  [[nodiscard]] std::string state() const override {
    return state_ == State::staging ? "packing and copying to the host" : "MPI send under way";
  }
  [[nodiscard]] bool needs_host() const override { return true; }

 private:
  enum class State { idle, staging, sending };
  struct Part {
    std::unique_ptr<device::CopyList> pack;
    std::unique_ptr<comm::PersistentRequest> request;
    std::size_t bytes = 0;
  };
  const Channel* channel_;
  Context* context_;
  Site* site_;
  std::unique_ptr<device::Buffer> packed_;
  std::unique_ptr<device::Buffer> pinned_;
  Prepared<Part> parts_;
  Part* part_ = nullptr;
  State state_ = State::idle;
  std::uint64_t epoch_ = 0;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> sent_;
  std::unique_ptr<device::Event> staged_;
};

class Receiver final : public Endpoint {
 public:
  Receiver(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        site_(&context.site(channel.message.to)),
        landing_(context.backend->allocate(site_->device(), capacity_of(channel))),
        pinned_(context.backend->allocate_pinned(sizeof(Header) + capacity_of(channel))),
        stream_(context.backend->create_stream(site_->device(), device::Priority::high)),
        unpacked_(context.backend->create_event(site_->device())) {}

  void prepare(const Program& program) override {
    parts_.make(program, [&] {
      const Payload payload = payload_of(channel_->message, program.selection);
      const auto bytes = static_cast<std::size_t>(payload.bytes);
      return Part{context_->backend->prepare(site_->device(),
                                             unpack_copies(payload, site_->memory, landing_->data())),
                  context_->comm->persistent_receive({pinned_->data(), sizeof(Header) + bytes},
                                                     channel_->sender, channel_->tag),
                  bytes};
    });
  }

  void start(const Program& program) override {
    part_ = &parts_.of(program);
    token_ = program.token;
    ++epoch_;
    state_ = State::emptying;
  }

  bool progress() override {
    // The last message must have left the pinned buffer before the next may come in.
    if (state_ == State::emptying && unpacked_->query()) {
      part_->request->start();
      state_ = State::receiving;
    }
    if (state_ == State::receiving && part_->request->test()) {
      Header header;
      std::memcpy(&header, pinned_->data(), sizeof header);
      check_header(header, token_, epoch_, *channel_);
      stream_->wait(*site_->begun);
      stream_->copy(landing_->data(), pinned_->data() + sizeof(Header), part_->bytes);
      stream_->copy(*part_->unpack);
      stream_->record(*unpacked_);
      state_ = State::idle;
    }
    return state_ == State::idle;
  }

  void join(device::Stream& user) override { user.wait(*unpacked_); }
  void check() override { check_stream(*stream_); }
  void drain() override { stream_->synchronize(); }
  [[nodiscard]] std::string state() const override {
    return state_ == State::emptying ? "last message not unpacked yet" : "MPI receive under way";
  }
  [[nodiscard]] bool needs_host() const override { return true; }

 private:
  enum class State { idle, emptying, receiving };
  struct Part {
    std::unique_ptr<device::CopyList> unpack;
    std::unique_ptr<comm::PersistentRequest> request;
    std::size_t bytes = 0;
  };
  const Channel* channel_;
  Context* context_;
  Site* site_;
  std::unique_ptr<device::Buffer> landing_;
  std::unique_ptr<device::Buffer> pinned_;
  Prepared<Part> parts_;
  Part* part_ = nullptr;
  State state_ = State::idle;
  std::uint64_t token_ = 0;
  std::uint64_t epoch_ = 0;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> unpacked_;
};

}  // namespace

Ends make_mpi_staged(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<Sender>(channel, context);
  if (receives) ends.receiver = std::make_unique<Receiver>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
