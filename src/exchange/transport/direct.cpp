// direct: the sender's device stores straight into the receiver's halo, in memory that both can reach. Two flags
// coordinate it (docs/decisions/0010-direct-protocol.md):
//   ready    in the sender's mailbox, signalled by the receiver when its exchange begins: its halo may be written;
//   arrived  in the receiver's mailbox, signalled by the sender behind its last store.
// Both epochs are those of the subdomain whose stream runs the operation; they advance in step, one an exchange.
#include "exchange/transport/factory.hpp"
#include "exchange/transport/remote_flag.hpp"

namespace halocline::exchange {
namespace {

/// An array of the receiver as the sender has to reach it.
struct RemoteArray {
  bool in_allocation = false;
  std::int64_t offset = 0;  ///< from the allocation's start
  Array array;              ///< origin: valid in the same process only
};

class Sender final : public Endpoint {
 public:
  Sender(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        site_(&context.site(channel.message.from)),
        guard_(make_guard(channel, context, "ready")),
        stream_(context.backend->create_stream(site_->device(), device::Priority::high, channel.label())),
        done_(context.backend->create_event(site_->device())) {}

  void reserve() override { ready_ = site_->mailbox.reserve_flag(); }

  void publish(Writer& writer) override { writer.put(RemotePlace{site_->mailbox.handle(), ready_}); }

  void connect(Reader& reader) override {
    arrived_ = flag_of(*context_->mappings, site_->device(), reader.get<RemotePlace>());
    const auto allocated = reader.get<bool>();
    const auto handle = reader.get<device::MemoryHandle>();
    std::byte* base = allocated ? context_->mappings->base(site_->device(), handle) : nullptr;
    for (const FieldDescriptor& field : context_->geometry->fields) {
      auto& sets = arrays_.emplace_back();
      for (int set = 0; set < field.buffers; ++set) {
        auto remote = reader.get<RemoteArray>();
        if (remote.in_allocation) remote.array.origin = base + remote.offset;
        sets.push_back(remote.array);
      }
    }
  }

  void prepare(const Program& program) override {
    lists_.make(program, [&] {
      const Memory receiver{context_->geometry, channel_->message.to, &arrays_};
      const auto copies = put_copies(payload_of(channel_->message, program.selection), site_->memory, receiver);
      return context_->backend->prepare(site_->device(), copies);
    });
  }

  void send(const Program& program) override {
    const device::FlagWait ready{site_->mailbox.flag(ready_), program.token, guard_, arrived_};
    const device::FlagSignal arrived{arrived_, program.token};
    stream_->wait(*site_->open);
    stream_->wait(site_->mailbox.epoch(), {&ready, 1});
    stream_->copy(*lists_.of(program));
    stream_->signal(site_->mailbox.epoch(), {&arrived, 1});
    stream_->record(*done_);
  }

  [[nodiscard]] const device::Event* sent() const override { return done_.get(); }
  void check() override { check_stream(*stream_); }
  void drain() override { stream_->synchronize(); }

 private:
  const Channel* channel_;
  Context* context_;
  Site* site_;
  std::size_t ready_ = 0;
  device::Flag* arrived_ = nullptr;
  std::vector<std::vector<Array>> arrays_;  // the receiver's, at the addresses that this device sees
  Prepared<std::unique_ptr<device::CopyList>> lists_;
  std::shared_ptr<const device::WaitGuard> guard_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> done_;
};

class Receiver final : public Endpoint {
 public:
  Receiver(const Channel& channel, Context& context)
      : context_(&context), site_(&context.site(channel.message.to)), guard_(make_guard(channel, context, "arrived")) {}

  void reserve() override { arrived_ = site_->mailbox.reserve_flag(); }

  void publish(Writer& writer) override {
    writer.put(RemotePlace{site_->mailbox.handle(), arrived_});
    const device::ShareableBuffer* allocation = site_->subdomain.allocation;
    writer.put(allocation != nullptr);
    writer.put(allocation != nullptr ? allocation->handle() : device::MemoryHandle{});
    for (const auto& sets : site_->subdomain.arrays) {
      for (const Array& array : sets) {
        const std::int64_t offset = allocation != nullptr ? array.origin - allocation->data() : 0;
        writer.put(RemoteArray{allocation != nullptr, offset, array});
      }
    }
  }

  void connect(Reader& reader) override {
    ready_ = flag_of(*context_->mappings, site_->device(), reader.get<RemotePlace>());
  }

  void collect_ready(const Program& program, std::vector<device::FlagSignal>& signals) override {
    signals.push_back({ready_, program.token});
  }
  void collect_arrived(const Program& program, std::vector<device::FlagWait>& waits) override {
    waits.push_back({site_->mailbox.flag(arrived_), program.token, guard_, ready_});
  }

 private:
  Context* context_;
  Site* site_;
  std::size_t arrived_ = 0;
  device::Flag* ready_ = nullptr;
  std::shared_ptr<const device::WaitGuard> guard_;
};

}  // namespace

Ends make_direct(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<Sender>(channel, context);
  if (receives) ends.receiver = std::make_unique<Receiver>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
