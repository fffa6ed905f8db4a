// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace halocline::exchange {

/// Message sizes at which the method of a transport changes. The defaults come from coarse trials on H200s. All ranks use the same sizes.
struct Tuning {
  /// mpi_staged, net: size of a chunk. Copying to the host, sending and copying to the device overlap chunk by chunk.
  std::int64_t staging_chunk_bytes = std::int64_t{4} << 20;
  /// mpi_staged: messages up to this size are packed directly into pinned host memory and unpacked directly from it; larger ones
  /// go through a buffer on the device and a copy engine.
  std::int64_t zero_copy_at_most_bytes = std::int64_t{64} << 10;
  /// direct: rows of fewer bytes are short. If a message has at least pack_short_rows_from_bytes in short rows, the sender packs
  /// them into a receive buffer, and the receiver unpacks them.
  std::int64_t short_row_bytes = 64;
  std::int64_t pack_short_rows_from_bytes = std::int64_t{1} << 20;
  /// direct: packed rows of a message are sent in at most 8 pieces of about this size, so that one piece is unpacked while others
  /// are sent. Above 0.
  std::int64_t packed_piece_bytes = std::int64_t{4} << 20;
  /// direct, on GPUs: a message is sent as LL packets (docs/decisions/0036) if its packets take at most this many bytes and all its
  /// cells are whole 4-byte words in contiguous rows. Packets need no ready and no arrived flag; at most 14 of their 16 bytes are
  /// cells. 0: no packets.
  std::int64_t packets_at_most_bytes = std::int64_t{1} << 20;
  /// direct and self: an exchange occupies at most this many multiprocessors of a GPU, and leaves the others to kernels. 0: 16
  /// after start_exchange(), and as many as are useful in exchange(). Ranks may differ in it.
  int multiprocessors = 0;
  /// direct, on GPUs: how many domains may have exchanges under way on one GPU at the same time. Each gets an equal share of the
  /// blocks that can be resident (docs/decisions/0015), at most half; realize() refuses a domain for which no share is left. 1: the
  /// program guarantees that exchanges of this domain are never under way together with another domain's, and a kernel behind exchange()
  /// that is launched for it may start while the exchange is under way (docs/guide/7-overlap.md). Ranks may differ in it.
  int domains_at_once = 2;
};

}  // namespace halocline::exchange
#pragma GCC visibility pop
