// direct: the sender's device stores straight into the receiver's halo, in memory that both can reach. Flags coordinate it
// (handshake.hpp): when the receiver says "ready", its halo may be written.
#include "exchange/transport/factory.hpp"
#include "exchange/transport/handshake.hpp"

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
        flags_(channel, context),
        stream_(context.backend->create_stream(site_->device(), device::Priority::high, channel.label())),
        done_(context.backend->create_event(site_->device())) {}

  void reserve() override { flags_.reserve(); }

  void publish(Writer& writer) override { flags_.publish(writer); }

  void connect(Reader& reader) override {
    flags_.connect(reader);
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
    stream_->wait(*site_->open);
    flags_.await_ready(program, *stream_);
    stream_->copy(*lists_.of(program));
    flags_.signal_arrived(program, *stream_);
    stream_->record(*done_);
  }

  [[nodiscard]] const device::Event* sent() const override { return done_.get(); }
  void check() override { check_stream(*stream_); }
  void drain() override { stream_->synchronize(); }

 private:
  const Channel* channel_;
  Context* context_;
  Site* site_;
  SenderFlags flags_;
  std::vector<std::vector<Array>> arrays_;  // the receiver's, at the addresses that this device sees
  Prepared<std::unique_ptr<device::CopyList>> lists_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> done_;
};

class Receiver final : public Endpoint {
 public:
  Receiver(const Channel& channel, Context& context)
      : site_(&context.site(channel.message.to)), flags_(channel, context) {}

  void reserve() override { flags_.reserve(); }

  void publish(Writer& writer) override {
    flags_.publish(writer);
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

  void connect(Reader& reader) override { flags_.connect(reader); }

  void collect_ready(const Program& program, std::vector<device::FlagSignal>& signals) override {
    flags_.collect_ready(program, signals);
  }
  void collect_arrived(const Program& program, std::vector<device::FlagWait>& waits) override {
    flags_.collect_arrived(program, waits);
  }

 private:
  Site* site_;
  ReceiverFlags flags_;
};

}  // namespace

Ends make_direct(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<Sender>(channel, context);
  if (receives) ends.receiver = std::make_unique<Receiver>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
