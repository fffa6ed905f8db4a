// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace halocline::exchange {

/// Sizes at which one way of doing the same becomes better than another. The defaults were tried out on H200s, coarsely. The
/// sizes are the same on all ranks.
struct Tuning {
  /// mpi_staged: bytes of a message that are copied, sent and copied again as one, so that the three overlap.
  std::int64_t staging_chunk_bytes = std::int64_t{4} << 20;
  /// mpi_staged: messages of at most so many bytes are packed straight into pinned host memory and unpacked straight
  /// from it; larger ones are copied between it and a buffer on the device, by the copy engine.
  std::int64_t zero_copy_at_most_bytes = std::int64_t{64} << 10;
  /// ipc_copy and peer_copy: messages of at most so many bytes are packed straight into the receiver's landing buffer,
  /// larger ones into a buffer of the sender's that the copy engine carries over.
  std::int64_t put_at_most_bytes = std::int64_t{16} << 20;
  /// direct: rows of fewer bytes are short. Where a message has at least pack_short_rows_from_bytes in such rows, they are
  /// packed on their way, into a landing buffer of the receiver, and unpacked there.
  std::int64_t short_row_bytes = 64;
  std::int64_t pack_short_rows_from_bytes = std::int64_t{1} << 20;
  /// direct: packed rows of a message go in pieces of about so many bytes, at most 8: one is unpacked while others are on
  /// their way. Above 0.
  std::int64_t packed_piece_bytes = std::int64_t{4} << 20;
  /// direct, on GPUs: a message whose packets take at most so many bytes goes as packets (docs/decisions/0036), where all its
  /// cells are whole 4-byte words in contiguous rows: sooner, as nobody has to say before that there is room, or after it
  /// that all is there; and at 5/6 of the rate. 0: none does.
  std::int64_t packets_at_most_bytes = std::int64_t{1} << 20;
  /// direct and self: they take no more of a GPU at a time than the room of so many multiprocessors, wherever that is, and
  /// leave the rest to compute; 0: 16 where work may run beside an exchange , else as many as are of use. Ranks
  /// may differ in it.
  int multiprocessors = 0;
  /// direct, on GPUs: of how many domains exchanges may be under way at a time on one GPU. Each gets an equal part of the room
  /// for them (docs/decisions/0015), at most half; a domain for which there is no part left is refused. 1: the program sees to
  /// it that exchanges of this domain are never under way together with those of another one, which takes no part. Ranks may
  /// differ in it.
  int domains_at_once = 2;
};

}  // namespace halocline::exchange
#pragma GCC visibility pop
