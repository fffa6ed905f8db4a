// ipc_copy: another process of the node. Pack, copy into a landing buffer in the receiver's mailbox, unpack there.
// Handles are exchanged once at set-up; afterwards two flags coordinate it without MPI:
//   ready    in the sender's mailbox, signalled by the receiver when its exchange begins: the landing buffer is free,
//            because the receiver's stream has joined the last unpack before;
//   arrived  in the receiver's mailbox, signalled by the sender behind the copy.
#include "exchange/transport/factory.hpp"
#include "exchange/transport/remote_flag.hpp"

namespace halocline::exchange {
namespace {

class Sender final : public Endpoint {
 public:
  Sender(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        site_(&context.site(channel.message.from)),
        packed_(
            context.backend->allocate(site_->device(), static_cast<std::size_t>(payload_capacity(channel.message)))),
        guard_(make_guard(channel, context, "ready")),
        stream_(context.backend->create_stream(site_->device(), device::Priority::high)),
        sent_(context.backend->create_event(site_->device())),
        done_(context.backend->create_event(site_->device())) {}

  void reserve() override {
    ready_ = site_->mailbox.reserve_flag();
    epoch_ = site_->mailbox.reserve_flag();
  }

  void publish(Writer& writer) override { writer.put(RemotePlace{site_->mailbox.handle(), ready_}); }

  void connect(Reader& reader) override {
    arrived_ = flag_of(*context_->mappings, site_->device(), reader.get<RemotePlace>());
    landing_ = address_of(*context_->mappings, site_->device(), reader.get<RemotePlace>());
  }

  void prepare(const Program& program) override {
    parts_.make(program, [&] {
      const Payload payload = payload_of(channel_->message, program.selection);
      return Part{context_->backend->prepare(site_->device(), pack_copies(payload, site_->memory, packed_->data())),
                  static_cast<std::size_t>(payload.bytes)};
    });
  }

  void start(const Program& program) override {
    const Part& part = parts_.of(program);
    const device::FlagWait ready{site_->mailbox.flag(ready_), program.token, guard_, arrived_};
    const device::FlagSignal arrived{arrived_, program.token};
    // An epoch of its own: the subdomain's stream joins only the packing, so it may begin the next exchange, and
    // advance its epoch, while this stream still waits for the receiver.
    std::uint64_t* epoch = &site_->mailbox.flag(epoch_)->epoch;
    stream_->wait(*site_->begun);
    stream_->copy(*part.pack);
    stream_->record(*sent_);
    stream_->advance(epoch);
    stream_->wait(epoch, {&ready, 1});
    stream_->copy(landing_, packed_->data(), part.bytes);
    stream_->signal(epoch, {&arrived, 1});
    stream_->record(*done_);
  }

  // A captured graph has to end with all its branches joined; eager work need not wait for the receiver.
  void join(device::Stream& user) override { user.wait(user.capturing() ? *done_ : *sent_); }
  void check() override { check_stream(*stream_); }
  void drain() override { stream_->synchronize(); }

 private:
  struct Part {
    std::unique_ptr<device::CopyList> pack;
    std::size_t bytes = 0;
  };
  const Channel* channel_;
  Context* context_;
  Site* site_;
  std::unique_ptr<device::Buffer> packed_;
  std::size_t ready_ = 0;
  std::size_t epoch_ = 0;
  device::Flag* arrived_ = nullptr;
  std::byte* landing_ = nullptr;
  Prepared<Part> parts_;
  std::shared_ptr<const device::WaitGuard> guard_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> sent_;
  std::unique_ptr<device::Event> done_;
};

class Receiver final : public Endpoint {
 public:
  Receiver(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        site_(&context.site(channel.message.to)),
        guard_(make_guard(channel, context, "arrived")),
        stream_(context.backend->create_stream(site_->device(), device::Priority::high)),
        unpacked_(context.backend->create_event(site_->device())) {}

  void reserve() override {
    arrived_ = site_->mailbox.reserve_flag();
    landing_ = site_->mailbox.reserve_landing(payload_capacity(channel_->message));
  }

  void publish(Writer& writer) override {
    writer.put(RemotePlace{site_->mailbox.handle(), arrived_});
    writer.put(RemotePlace{site_->mailbox.handle(), landing_});
  }

  void connect(Reader& reader) override {
    ready_ = flag_of(*context_->mappings, site_->device(), reader.get<RemotePlace>());
  }

  void prepare(const Program& program) override {
    lists_.make(program, [&] {
      const Payload payload = payload_of(channel_->message, program.selection);
      return context_->backend->prepare(site_->device(),
                                        unpack_copies(payload, site_->memory, site_->mailbox.at(landing_)));
    });
  }

  void collect_ready(const Program& program, std::vector<device::FlagSignal>& signals) override {
    signals.push_back({ready_, program.token});
  }

  void start(const Program& program) override {
    const device::FlagWait arrived{site_->mailbox.flag(arrived_), program.token, guard_, ready_};
    stream_->wait(*site_->begun);
    stream_->wait(site_->mailbox.epoch(), {&arrived, 1});
    stream_->copy(*lists_.of(program));
    stream_->record(*unpacked_);
  }

  void join(device::Stream& user) override { user.wait(*unpacked_); }
  void check() override { check_stream(*stream_); }
  void drain() override { stream_->synchronize(); }

 private:
  const Channel* channel_;
  Context* context_;
  Site* site_;
  std::size_t arrived_ = 0;
  std::size_t landing_ = 0;
  device::Flag* ready_ = nullptr;
  Prepared<std::unique_ptr<device::CopyList>> lists_;
  std::shared_ptr<const device::WaitGuard> guard_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> unpacked_;
};

}  // namespace

Ends make_ipc_copy(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<Sender>(channel, context);
  if (receives) ends.receiver = std::make_unique<Receiver>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
