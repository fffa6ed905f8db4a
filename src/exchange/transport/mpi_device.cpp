// SPDX-License-Identifier: BSD-3-Clause
// mpi_device: any pair of ranks whose MPI takes device pointers. Pack after the header in one device buffer, MPI,
// unpack. Only the header passes through pinned host memory, because the host reads it. The payload is one MPI message:
// there are no copies that could overlap with it.
#include <limits>

#include "exchange/transport/factory.hpp"
#include "exchange/transport/mpi_ends.hpp"

namespace halocline::exchange {
namespace {

/// The whole message on the device, the header on the host too.
class OnDevice {
 public:
  OnDevice(const Channel& channel, Context& context, subdomain_id here)
      : backend_(context.backend),
        device_(context.state(here).device()),
        message_(context.backend->allocate(
            device_, sizeof(Header) + static_cast<std::size_t>(payload_capacity(channel.message)))),
        header_(context.backend->allocate_pinned(sizeof(Header))) {}

  /// MPI looks up the memory in the current context; if that is another device's, it takes a slower path, or none.
  [[nodiscard]] std::unique_ptr<device::Current> for_mpi() const { return backend_->make_current(device_); }
  [[nodiscard]] static bool copied(std::size_t /*bytes*/) { return false; }
  [[nodiscard]] static std::int64_t chunk_bytes() { return std::numeric_limits<std::int64_t>::max(); }
  [[nodiscard]] std::byte* message_at() const { return message_->data(); }
  [[nodiscard]] std::byte* payload_at(std::size_t /*bytes*/) const { return message_->data() + sizeof(Header); }
  [[nodiscard]] const std::byte* header_at() const { return header_->data(); }

  void put_header(const Header& header, device::Stream& stream) {
    std::memcpy(header_->data(), &header, sizeof header);
    stream.copy(message_at(), header_->data(), sizeof(Header));
  }
  void put(const Chunk& /*chunk*/, device::Stream& /*stream*/) {}
  void fetch_header(device::Stream& stream, device::Event& here) {
    stream.copy(header_->data(), message_at(), sizeof(Header));
    stream.record(here);
  }
  void fetch(const Chunk& /*chunk*/, device::Stream& /*stream*/) {}

 private:
  device::Backend* backend_;
  int device_;
  std::unique_ptr<device::Buffer> message_;
  std::unique_ptr<device::Buffer> header_;
};

}  // namespace

Ends make_mpi_device(const Channel& channel, Context& context, bool sends, bool receives) {
  return make_mpi_ends<OnDevice>(channel, context, sends, receives);
}

}  // namespace halocline::exchange
