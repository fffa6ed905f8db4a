// SPDX-License-Identifier: BSD-3-Clause
// mpi_staged: any pair of ranks. Pack, copy to pinned host memory, MPI, copy to the device, unpack; in chunks, so that
// the copies of one overlap with the transfer of others. Small messages are packed into pinned memory and unpacked from
// it.
#include "exchange/transport/factory.hpp"
#include "exchange/transport/mpi_ends.hpp"

namespace halocline::exchange {
namespace {

/// The whole message in pinned host memory; large payloads on the device, too.
class Staged {
 public:
  Staged(const Channel& channel, Context& context, subdomain_id here) : tuning_(context.tuning) {
    const auto capacity = static_cast<std::size_t>(payload_capacity(channel.message));
    message_ = context.backend->allocate_pinned(sizeof(Header) + capacity);
    if (copied(capacity)) payload_ = context.backend->allocate(context.state(here).device(), capacity);
  }

  [[nodiscard]] bool copied(std::size_t bytes) const {
    return staged_on_device(tuning_, static_cast<std::int64_t>(bytes));
  }
  [[nodiscard]] static std::nullptr_t for_mpi() { return nullptr; }
  [[nodiscard]] std::int64_t chunk_bytes() const { return tuning_.staging_chunk_bytes; }
  [[nodiscard]] std::byte* message_at() const { return message_->data(); }
  [[nodiscard]] std::byte* payload_at(std::size_t bytes) const {
    return copied(bytes) ? payload_->data() : message_at() + sizeof(Header);
  }
  [[nodiscard]] const std::byte* header_at() const { return message_at(); }

  void put_header(const Header& header, device::Stream& /*stream*/) {
    std::memcpy(message_at(), &header, sizeof header);
  }
  void put(const Chunk& chunk, device::Stream& stream) {
    stream.copy(place_of_cells(chunk), payload_->data() + chunk.begin, chunk.bytes());
  }
  void fetch_header(device::Stream& /*stream*/, device::Event& /*here*/) {}
  void fetch(const Chunk& chunk, device::Stream& stream) {
    stream.copy(payload_->data() + chunk.begin, place_of_cells(chunk), chunk.bytes());
  }

 private:
  [[nodiscard]] std::byte* place_of_cells(const Chunk& chunk) const {
    return message_at() + sizeof(Header) + chunk.begin;
  }

  Tuning tuning_;
  std::unique_ptr<device::Buffer> message_;
  std::unique_ptr<device::Buffer> payload_;  ///< null if no selection's payload needs the copies
};

}  // namespace

Ends make_mpi_staged(const Channel& channel, Context& context, bool sends, bool receives) {
  return make_mpi_ends<Staged>(channel, context, sends, receives);
}

}  // namespace halocline::exchange
