// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "baselines/packed.hpp"

namespace halocline::bench {
namespace {

/// Thread blocks of kernels that move messages, for the sweep at the start.
constexpr std::array<unsigned, 5> block_counts{132, 264, 528, 1056, 8448};

/// Where uncut dimensions are wrapped.
enum class Wrap { in_unpack, in_pack, beside };
struct Variant {
  Wrap wrap;
  unsigned blocks = 0;  ///< of the wrap kernel beside the transfer
  BlockSize size = BlockSize::small;
};
/// Few large blocks leave whole multiprocessors to kernels of the transfer: NCCL's need nearly all registers of one.
constexpr std::array wraps{Variant{Wrap::in_unpack},
                           Variant{Wrap::in_pack},
                           Variant{Wrap::beside, 132},
                           Variant{Wrap::beside, 264},
                           Variant{Wrap::beside, 528},
                           Variant{Wrap::beside, 8448},
                           Variant{Wrap::beside, 48, BlockSize::large},
                           Variant{Wrap::beside, 72, BlockSize::large},
                           Variant{Wrap::beside, 96, BlockSize::large},
                           Variant{Wrap::beside, 112, BlockSize::large}};

std::vector<Copy> joined(std::vector<Copy> first, const std::vector<Copy>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

OwnedEvent event_without_time() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return OwnedEvent(event);
}

double seconds_of_copies(const Job& job, unsigned blocks, cudaStream_t stream) {
  constexpr int times = 5;
  const OwnedEvent begin = make_event();
  const OwnedEvent end = make_event();
  launch_copies(job, blocks, stream);
  check(cudaEventRecord(begin.get(), stream), "cudaEventRecord");
  for (int i = 0; i < times; ++i) launch_copies(job, blocks, stream);
  check(cudaEventRecord(end.get(), stream), "cudaEventRecord");
  check(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "cudaEventElapsedTime");
  return milliseconds * 1e-3 / times;
}

/// The fastest number of thread blocks for a job that runs alone; the same on all ranks. The data that the copies write
/// are stale.
unsigned fastest(comm::RankGroup& world, const Job& job, cudaStream_t stream) {
  unsigned best = block_counts[0];
  double least = 0;
  for (const unsigned blocks : block_counts) {
    const double seconds = world.all_reduce(seconds_of_copies(job, blocks, stream), comm::Reduction::sum);
    if (blocks != block_counts[0] && seconds >= least) continue;
    best = blocks;
    least = seconds;
  }
  return best;
}

}  // namespace

std::vector<Copy> Transport::pack_copies(const Block& block, int side) {
  return bound(
      block.plan().pack, [&](int) { return block.arrays(); }, [&](int m) { return pack_to(m, side); });
}

std::vector<Copy> Transport::unpack_copies(const Block& block, int side) {
  return bound(
      block.plan().unpack, [&](int m) { return unpack_from(m, side); }, [&](int) { return block.arrays(); });
}

PackedWay::PackedWay(comm::RankGroup& world, const Block& block, std::unique_ptr<Transport> transport)
    : Way(block), transport_(std::move(transport)), begin_(event_without_time()), wrapped_(event_without_time()) {
  const int fields = block.workload().fields;
  const Start own = [&](int) { return block.arrays(); };
  const std::vector<Copy> wrap = bound(block.plan().wrap, own, own);
  wrap_ = job_of(wrap, fields);
  for (int side = 0; side < 2; ++side) {
    Jobs& jobs = jobs_[static_cast<std::size_t>(side)];
    const std::vector<Copy> pack = transport_->pack_copies(block, side);
    const std::vector<Copy> unpack = transport_->unpack_copies(block, side);
    jobs.pack = job_of(pack, fields);
    jobs.unpack = job_of(unpack, fields);
    if (wrap.empty()) continue;
    jobs.pack_and_wrap = job_of(joined(pack, wrap), fields);
    jobs.wrap_and_unpack = job_of(joined(wrap, unpack), fields);
  }
  tune(world);
}

void PackedWay::tune(comm::RankGroup& world) {
  pack_blocks_ = fastest(world, jobs_[0].pack, block().stream());
  unpack_blocks_ = fastest(world, jobs_[0].unpack, block().stream());
}

int PackedWay::variants() const { return wrap_.tiles == 0 ? 1 : static_cast<int>(wraps.size()); }

std::string PackedWay::text() const {
  const std::string blocks = "pack " + std::to_string(pack_blocks_) + ", unpack " + std::to_string(unpack_blocks_);
  if (wrap_.tiles == 0) return blocks;
  const Variant& v = wraps[static_cast<std::size_t>(variant_)];
  if (v.wrap == Wrap::in_pack) return "wrap in pack; " + blocks;
  if (v.wrap == Wrap::in_unpack) return "wrap in unpack; " + blocks;
  return "wrap beside; " + blocks + ", wrap " + std::to_string(v.blocks) + (v.size == BlockSize::large ? " large" : "");
}

void PackedWay::exchange(int side) {
  const Jobs& jobs = jobs_[static_cast<std::size_t>(side)];
  const bool wraps_at_all = wrap_.tiles > 0;
  const Variant& v = wraps[static_cast<std::size_t>(variant_)];
  const bool in_pack = wraps_at_all && v.wrap == Wrap::in_pack;
  const bool in_unpack = wraps_at_all && v.wrap == Wrap::in_unpack;
  const bool beside = wraps_at_all && v.wrap == Wrap::beside;
  cudaStream_t stream = block().stream();
  cudaStream_t side_stream = block().side_stream();

  if (beside) check(cudaEventRecord(begin_.get(), stream), "cudaEventRecord");
  if (in_pack) {
    transport_->pack(jobs.pack_and_wrap, wrap_.tiles, std::max(pack_blocks_, 1056U), stream, side);
  } else {
    transport_->pack(jobs.pack, 0, pack_blocks_, stream, side);
  }
  if (beside) {
    check(cudaStreamWaitEvent(side_stream, begin_.get()), "cudaStreamWaitEvent");
    launch_copies(wrap_, v.blocks, side_stream, v.size);
    check(cudaEventRecord(wrapped_.get(), side_stream), "cudaEventRecord");
  }
  transport_->transfer(stream, side);
  if (in_unpack) {
    transport_->unpack(jobs.wrap_and_unpack, wrap_.tiles, std::max(unpack_blocks_, 1056U), stream, side);
  } else {
    transport_->unpack(jobs.unpack, 0, unpack_blocks_, stream, side);
  }
  if (beside) check(cudaStreamWaitEvent(stream, wrapped_.get()), "cudaStreamWaitEvent");
}

void PackedWay::transfer(int side) {
  transport_->transfer_alone(jobs_[static_cast<std::size_t>(side)].pack, pack_blocks_, block().stream(), side);
}

}  // namespace halocline::bench
