// mpi_device: any pair of ranks whose MPI takes device pointers. Pack behind a header in one device buffer, MPI, look at
// the header on the host, unpack. Only the header passes through pinned host memory.
#include <cstring>

#include "exchange/transport/factory.hpp"
#include "exchange/transport/mpi_header.hpp"

namespace halocline::exchange {
namespace {

std::size_t capacity_of(const Channel& channel) {
  return sizeof(Header) + static_cast<std::size_t>(payload_capacity(channel.message));
}

class Sender final : public Endpoint {
 public:
  Sender(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        site_(&context.site(channel.message.from)),
        buffer_(context.backend->allocate(site_->device(), capacity_of(channel))),
        header_(context.backend->allocate_pinned(sizeof(Header))),
        stream_(context.backend->create_stream(site_->device(), device::Priority::high)),
        packed_(context.backend->create_event(site_->device())) {}

  void prepare(const Program& program) override {
    parts_.make(program, [&] {
      const Payload payload = payload_of(channel_->message, program.selection);
      return Part{context_->backend->prepare(
                      site_->device(), pack_copies(payload, site_->memory, buffer_->data() + sizeof(Header))),
                  context_->comm->persistent_send(
                      {buffer_->data(), sizeof(Header) + static_cast<std::size_t>(payload.bytes)},
                      channel_->receiver, channel_->tag)};
    });
  }

  void start(const Program& program) override {
    // finish() of the last exchange saw the send done, so both buffers are free.
    part_ = &parts_.of(program);
    const Header header{program.token, ++epoch_};
    std::memcpy(header_->data(), &header, sizeof header);
    stream_->wait(*site_->begun);
    stream_->copy(buffer_->data(), header_->data(), sizeof(Header));
    stream_->copy(*part_->pack);
    stream_->record(*packed_);
    state_ = State::packing;
  }

  bool progress() override {
    if (state_ == State::packing && packed_->query()) {
      part_->request->start();
      state_ = State::sending;
    }
    if (state_ == State::sending && part_->request->test()) state_ = State::idle;
    return state_ == State::idle;
  }

  void join(device::Stream& user) override { user.wait(*packed_); }
  void check() override { check_stream(*stream_); }
  void drain() override { stream_->synchronize(); }
  [[nodiscard]] std::string state() const override {
    return state_ == State::packing ? "packing" : "MPI send under way";
  }
  [[nodiscard]] bool needs_host() const override { return true; }

 private:
  enum class State { idle, packing, sending };
  struct Part {
    std::unique_ptr<device::CopyList> pack;
    std::unique_ptr<comm::PersistentRequest> request;
  };
  const Channel* channel_;
  Context* context_;
  Site* site_;
  std::unique_ptr<device::Buffer> buffer_;
  std::unique_ptr<device::Buffer> header_;
  Prepared<Part> parts_;
  Part* part_ = nullptr;
  State state_ = State::idle;
  std::uint64_t epoch_ = 0;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> packed_;
};

class Receiver final : public Endpoint {
 public:
  Receiver(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        site_(&context.site(channel.message.to)),
        buffer_(context.backend->allocate(site_->device(), capacity_of(channel))),
        header_(context.backend->allocate_pinned(sizeof(Header))),
        stream_(context.backend->create_stream(site_->device(), device::Priority::high)),
        header_here_(context.backend->create_event(site_->device())),
        unpacked_(context.backend->create_event(site_->device())) {}

  void prepare(const Program& program) override {
    parts_.make(program, [&] {
      const Payload payload = payload_of(channel_->message, program.selection);
      return Part{context_->backend->prepare(
                      site_->device(), unpack_copies(payload, site_->memory, buffer_->data() + sizeof(Header))),
                  context_->comm->persistent_receive(
                      {buffer_->data(), sizeof(Header) + static_cast<std::size_t>(payload.bytes)},
                      channel_->sender, channel_->tag)};
    });
  }

  void start(const Program& program) override {
    part_ = &parts_.of(program);
    token_ = program.token;
    ++epoch_;
    state_ = State::emptying;
  }

  bool progress() override {
    // The last message must have left the buffer before the next may come in.
    if (state_ == State::emptying && unpacked_->query()) {
      part_->request->start();
      state_ = State::receiving;
    }
    if (state_ == State::receiving && part_->request->test()) {
      stream_->copy(header_->data(), buffer_->data(), sizeof(Header));
      stream_->record(*header_here_);
      state_ = State::checking;
    }
    if (state_ == State::checking && header_here_->query()) {
      Header header;
      std::memcpy(&header, header_->data(), sizeof header);
      check_header(header, token_, epoch_, *channel_);
      stream_->wait(*site_->begun);
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
    switch (state_) {
      case State::emptying: return "last message not unpacked yet";
      case State::checking: return "reading the message's header";
      default: return "MPI receive under way";
    }
  }
  [[nodiscard]] bool needs_host() const override { return true; }

 private:
  enum class State { idle, emptying, receiving, checking };
  struct Part {
    std::unique_ptr<device::CopyList> unpack;
    std::unique_ptr<comm::PersistentRequest> request;
  };
  const Channel* channel_;
  Context* context_;
  Site* site_;
  std::unique_ptr<device::Buffer> buffer_;
  std::unique_ptr<device::Buffer> header_;
  Prepared<Part> parts_;
  Part* part_ = nullptr;
  State state_ = State::idle;
  std::uint64_t token_ = 0;
  std::uint64_t epoch_ = 0;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> header_here_;
  std::unique_ptr<device::Event> unpacked_;
};

}  // namespace

Ends make_mpi_device(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<Sender>(channel, context);
  if (receives) ends.receiver = std::make_unique<Receiver>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
