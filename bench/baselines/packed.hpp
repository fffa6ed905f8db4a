// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "baselines/way.hpp"

namespace halocline::bench {

/// How packed messages get from rank to rank.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Where the pack kernel writes a message: a buffer of this rank, or the peer's receive buffer.
  [[nodiscard]] virtual float* pack_to(int message, int side) = 0;
  /// Where a message from a peer is when it has arrived.
  [[nodiscard]] virtual float* unpack_from(int message, int side) = 0;

  /// Between the pack and the unpack kernel, in stream order; a transport that needs the host waits for the stream.
  virtual void transfer(cudaStream_t stream, int side) = 0;
  virtual void plain(int times) = 0;
  [[nodiscard]] virtual bool capturable() const = 0;

  [[nodiscard]] virtual bool moves_messages() const { return true; }

  /// The pack kernel; `local` tiles at the job's end are not part of messages.
  virtual void pack(const Job& job, std::uint32_t /*local*/, unsigned blocks, cudaStream_t stream, int /*side*/) {
    launch_copies(job, blocks, stream);
  }
  /// The unpack kernel; the first `local` tiles do not wait for messages.
  virtual void unpack(const Job& job, std::uint32_t /*local*/, unsigned blocks, cudaStream_t stream, int /*side*/) {
    launch_copies(job, blocks, stream);
  }
  /// The transfer as far as it can be timed without the rest of an exchange.
  virtual void transfer_alone(const Job& /*pack*/, unsigned /*blocks*/, cudaStream_t stream, int side) {
    transfer(stream, side);
  }
  /// Copies of a message's cells; a transport may replace packing by stores into the peers' arrays.
  [[nodiscard]] virtual std::vector<Copy> pack_copies(const Block& block, int side);
  [[nodiscard]] virtual std::vector<Copy> unpack_copies(const Block& block, int side);
};

/// Pack kernel, transfer, unpack kernel. Uncut dimensions are wrapped in one of these kernels, or by a kernel on a second
/// stream concurrently with the transfer; these are the variants.
class PackedWay final : public Way {
 public:
  PackedWay(comm::RankGroup& world, const Block& block, std::unique_ptr<Transport> transport);

  void exchange(int side) override;
  void transfer(int side) override;
  void plain(int times) override { transport_->plain(times); }
  [[nodiscard]] bool capturable() const override { return transport_->capturable(); }
  [[nodiscard]] bool moves_messages() const override { return transport_->moves_messages(); }
  [[nodiscard]] int variants() const override;
  void choose(int variant) override { variant_ = variant; }
  [[nodiscard]] std::string text() const override;

 private:
  struct Jobs {
    Job pack, pack_and_wrap, unpack, wrap_and_unpack;
  };
  void tune(comm::RankGroup& world);

  std::unique_ptr<Transport> transport_;
  std::array<Jobs, 2> jobs_;
  Job wrap_;
  OwnedEvent begin_;
  OwnedEvent wrapped_;
  unsigned pack_blocks_ = 0;
  unsigned unpack_blocks_ = 0;
  int variant_ = 0;
};

}  // namespace halocline::bench
