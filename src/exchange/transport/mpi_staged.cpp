// mpi_staged: any pair of ranks. Pack, copy to pinned host memory, MPI, copy to the device, unpack.
#include "exchange/transport/factory.hpp"
#include "exchange/transport/mpi_ends.hpp"

namespace halocline::exchange {
namespace {

/// The payload on the device, the whole message on the host.
class Staged {
 public:
  Staged(const Channel& channel, Context& context, subdomain_id here)
      : payload_(context.backend->allocate(context.site(here).device(),
                                           static_cast<std::size_t>(payload_capacity(channel.message)))),
        message_(context.backend->allocate_pinned(sizeof(Header) + payload_->bytes())) {}

  [[nodiscard]] std::byte* message_at() const { return message_->data(); }
  [[nodiscard]] std::byte* payload_at() const { return payload_->data(); }
  [[nodiscard]] const std::byte* header_at() const { return message_->data(); }
  void put_header(const Header& header, device::Stream& /*stream*/) {
    std::memcpy(message_at(), &header, sizeof header);
  }
  void put_payload(std::size_t bytes, device::Stream& stream) {
    stream.copy(message_at() + sizeof(Header), payload_at(), bytes);
  }
  void fetch_header(device::Stream& /*stream*/) {}
  void fetch_payload(std::size_t bytes, device::Stream& stream) {
    stream.copy(payload_at(), message_at() + sizeof(Header), bytes);
  }

 private:
  std::unique_ptr<device::Buffer> payload_;
  std::unique_ptr<device::Buffer> message_;
};

}  // namespace

Ends make_mpi_staged(const Channel& channel, Context& context, bool sends, bool receives) {
  return make_mpi_ends<Staged>(channel, context, sends, receives);
}

}  // namespace halocline::exchange
