// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "comm/requests.hpp"
#include "device/disagreement.hpp"
#include "exchange/transport/endpoint.hpp"

namespace halocline::exchange {

/// A part of a message that is one MPI message: bytes [begin, end) of the payload, after the header if begin is 0.
struct Chunk {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t bytes() const { return end - begin; }
};

/// A payload in chunks of chunk_bytes, of which the last may be shorter; one empty chunk if there is no payload.
[[nodiscard]] inline std::vector<Chunk> chunks_of(std::int64_t payload_bytes, std::int64_t chunk_bytes) {
  const auto end = static_cast<std::size_t>(payload_bytes);
  const auto step = static_cast<std::size_t>(std::min(chunk_bytes, std::max<std::int64_t>(payload_bytes, 1)));
  std::vector<Chunk> chunks{{0, std::min(step, end)}};
  while (chunks.back().end < end) chunks.push_back({chunks.back().end, std::min(chunks.back().end + step, end)});
  return chunks;
}

/// The position of a chunk in a message that starts with its header.
[[nodiscard]] inline std::span<std::byte> place_of(const Chunk& chunk, std::byte* message) {
  const std::size_t header = chunk.begin == 0 ? sizeof(Header) : 0;
  return {message + sizeof(Header) + chunk.begin - header, header + chunk.bytes()};
}

/// Throws ProtocolError if a message is not the one that its receiver expects. failed: the error of its receive, or null.
inline void compare(const Header& got, const Header& expected, const std::exception_ptr& failed,
                    const Channel& channel) {
  // After a failure, a header of another exchange did not arrive with this message.
  if (failed && (got.epoch != expected.epoch || got.token == expected.token)) std::rethrow_exception(failed);
  if (got.token == expected.token && got.epoch == expected.epoch) return;
  throw device::Disagreement(
      fmt::format(
          "{}: the two sides disagree on which fields, buffers, directions and depths are exchanged (exchange {} "
          "with token {:#018x} met exchange {} with token {:#018x})",
          channel.label(), expected.epoch, expected.token, got.epoch, got.token),
      {expected.token, got.token});
}

/// Whether a payload is packed on the device and copied to pinned host memory, or packed there by the kernel. Without the copies there is
/// one operation less in each direction, but cells then cross PCIe one by one, as the kernel's threads load and store them, and not by
/// the copy engine. To be measured: Tuning::zero_copy_at_most_bytes.
[[nodiscard]] inline bool staged_on_device(const Tuning& tuning, std::int64_t bytes) {
  return bytes > 0 && bytes > tuning.zero_copy_at_most_bytes;
}

/// The operations that an end prepares for a plan.
struct MpiPart {
  std::unique_ptr<device::CopyList> copies;  ///< packs or unpacks
  std::size_t bytes = 0;                     ///< of the payload
  std::vector<Chunk> chunks;
  std::vector<std::unique_ptr<comm::PersistentRequest>> requests;  ///< by chunk
  std::size_t packing = 0, copying = 0, message = 0;               ///< for the tracer
};

/// An end of a message. make_request(chunk) returns a chunk's request.
template <typename MakeRequest>
[[nodiscard]] MpiPart part_of(const std::vector<device::StridedCopy>& copies, std::size_t bytes,
                              std::int64_t chunk_bytes, const Channel& channel, bool sends, Context& context,
                              MakeRequest&& make_request) {
  using device::Work;
  const int device = context.state(sends ? channel.message.from : channel.message.to).device();
  const auto size = static_cast<std::int64_t>(bytes);
  MpiPart part{context.backend->prepare(device, copies), bytes, chunks_of(size, chunk_bytes), {}};
  for (const Chunk& chunk : part.chunks) part.requests.push_back(make_request(chunk));
  const auto described = [&](Work work, int where, std::int64_t of) {
    return describe(context, work, where, channel, sends ? "send" : "receive", of);
  };
  part.packing = described(sends ? Work::pack : Work::unpack, device, size);
  part.copying = described(Work::copy, device, static_cast<std::int64_t>(part.chunks.front().bytes()));
  part.message = described(sends ? Work::send : Work::receive, -1, size);
  return part;
}

}  // namespace halocline::exchange
