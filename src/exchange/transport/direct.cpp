// direct: the sender's device stores straight into the receiver's halo, in memory that both can reach; many short rows are
// packed on their way, into a landing buffer, and unpacked there. Flags coordinate it (handshake.hpp): when the receiver says
// "ready", its halo and its landing buffer may be written.
#include <fmt/core.h>

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

/// What both ends must know alike, for the same rows to be packed.
struct Limits {
  std::int64_t short_row_bytes;
  std::int64_t pack_short_rows_from_bytes;
  explicit Limits(const Tuning& tuning)
      : short_row_bytes(tuning.short_row_bytes), pack_short_rows_from_bytes(tuning.pack_short_rows_from_bytes) {}
  Limits() = default;
};

void check_same(const Channel& channel, const char* name, std::int64_t here, std::int64_t there) {
  if (here == there) return;
  throw InvalidArgument(fmt::format("{} is {} on rank {} and {} on rank {}; allowed is the same", name, here,
                                    channel.sender.value(), there, channel.receiver.value()));
}

class Sender final : public Endpoint {
 public:
  Sender(const Channel& channel, Context& context)
      : channel_(&channel), context_(&context), site_(&context.site(channel.message.from)), flags_(channel, context) {}

  [[nodiscard]] Drive drive() const override { return Drive::fused; }
  void reserve() override { flags_.reserve(); }
  void publish(Writer& writer) override { flags_.publish(writer); }

  void connect(Reader& reader) override {
    flags_.connect(reader);
    const auto there = reader.get<Limits>();
    const Tuning& here = context_->tuning;
    check_same(*channel_, "short_row_bytes", here.short_row_bytes, there.short_row_bytes);
    check_same(*channel_, "pack_short_rows_from_bytes", here.pack_short_rows_from_bytes,
               there.pack_short_rows_from_bytes);
    landing_ = address_of(*context_->mappings, site_->device(), reader.get<RemotePlace>());
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

  void contribute(const Program& program, device::Party& party, std::vector<device::StridedCopy>& /*local*/) override {
    const SplitPayload payload =
        split_payload(channel_->message, program.selection, *context_->geometry, context_->tuning);
    const Memory receiver{context_->geometry, channel_->message.to, &arrays_};
    auto copies = pack_copies(payload.packed, site_->memory, landing_);
    append(copies, put_copies(payload.rows, site_->memory, receiver));
    party.outgoing.push_back({flags_.ready(program), std::move(copies), flags_.arrived(program)});
  }

 private:
  const Channel* channel_;
  Context* context_;
  Site* site_;
  SenderFlags flags_;
  std::vector<std::vector<Array>> arrays_;  ///< the receiver's, at the addresses that this device sees
  std::byte* landing_ = nullptr;            ///< the receiver's
};

class Receiver final : public Endpoint {
 public:
  Receiver(const Channel& channel, Context& context)
      : channel_(&channel), context_(&context), site_(&context.site(channel.message.to)), flags_(channel, context) {}

  [[nodiscard]] Drive drive() const override { return Drive::fused; }

  void reserve() override {
    flags_.reserve();
    landing_ =
        site_->mailbox.reserve_landing(packed_capacity(channel_->message, *context_->geometry, context_->tuning));
  }

  void publish(Writer& writer) override {
    flags_.publish(writer);
    writer.put(Limits(context_->tuning));
    writer.put(RemotePlace{site_->mailbox.handle(), landing_});
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

  void contribute(const Program& program, device::Party& party, std::vector<device::StridedCopy>& /*local*/) override {
    const SplitPayload payload =
        split_payload(channel_->message, program.selection, *context_->geometry, context_->tuning);
    party.incoming.push_back({flags_.ready(program), flags_.arrived(program),
                              unpack_copies(payload.packed, site_->memory, site_->mailbox.at(landing_))});
  }

 private:
  const Channel* channel_;
  Context* context_;
  Site* site_;
  ReceiverFlags flags_;
  std::size_t landing_ = 0;
};

}  // namespace

Ends make_direct(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<Sender>(channel, context);
  if (receives) ends.receiver = std::make_unique<Receiver>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
