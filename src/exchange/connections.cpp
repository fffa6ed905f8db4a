#include "exchange/connections.hpp"

#include "exchange/tags.hpp"

namespace halocline::exchange {

std::byte* Mappings::base(int device, const device::MemoryHandle& handle) {
  const auto* first = reinterpret_cast<const char*>(handle.blob.data());
  auto& mapping = mapped_[{device, std::string(first, handle.blob.size())}];
  if (!mapping) mapping = backend_->map(device, handle);
  return mapping->data();
}

std::map<rank_id, std::vector<std::byte>> exchange_blobs(comm::Communicator& comm,
                                                         const std::map<rank_id, std::vector<std::byte>>& outgoing) {
  std::vector<std::unique_ptr<comm::Request>> pending;
  const auto wait_for_all = [&](std::string_view what) {
    comm::wait_until(
        [&pending] {
          std::erase_if(pending, [](const auto& request) { return request->test(); });
          return pending.empty();
        },
        Deadline(comm.clock(), comm.timeout()), what);
  };

  // Lengths first: the receiver cannot know them.
  std::map<rank_id, std::uint64_t> lengths_out;
  std::map<rank_id, std::uint64_t> lengths_in;
  for (const auto& [rank, bytes] : outgoing) {
    lengths_out[rank] = bytes.size();
    lengths_in[rank] = 0;
  }
  for (auto& [rank, length] : lengths_in) {
    pending.push_back(comm.receive(std::as_writable_bytes(std::span(&length, 1)), rank, tags::set_up_length));
  }
  for (const auto& [rank, length] : lengths_out) {
    pending.push_back(comm.send(std::as_bytes(std::span(&length, 1)), rank, tags::set_up_length));
  }
  wait_for_all("exchange of set-up lengths with neighbours");

  std::map<rank_id, std::vector<std::byte>> incoming;
  for (const auto& [rank, length] : lengths_in) {
    auto& bytes = incoming[rank];
    bytes.resize(length);
    pending.push_back(comm.receive(bytes, rank, tags::set_up));
  }
  for (const auto& [rank, bytes] : outgoing) pending.push_back(comm.send(bytes, rank, tags::set_up));
  wait_for_all("exchange of set-up data with neighbours");
  return incoming;
}

}  // namespace halocline::exchange
