// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "ceilings/gpu/lanes.cuh"
#include "ceilings/gpu/parts.cuh"

namespace halocline::bench {
namespace {

constexpr std::size_t bytes = std::size_t{64} << 20;
constexpr int copies = 20;

/// Two buffers on each GPU: one to send from, one that others write to.
struct Ends {
  std::vector<OwnedMemory> out;
  std::vector<OwnedMemory> in;
};

enum class How { engine, put, get };

/// A copy from GPU `from` to GPU `to`: stores (put) are by the sender's blocks, loads (get) by the receiver's.
Work copy_between(const Ends& ends, int from, int to, How how, int blocks) {
  void* const target = ends.in[static_cast<std::size_t>(to)].get();
  const void* const source = ends.out[static_cast<std::size_t>(from)].get();
  if (how == How::engine) {
    return {from, [=](cudaStream_t stream) {
              check(cudaMemcpyPeerAsync(target, to, source, from, bytes, stream), "cudaMemcpyPeerAsync");
            }};
  }
  return {how == How::put ? from : to,
          [=](cudaStream_t stream) { copy_by_kernel(target, source, bytes, blocks, stream); }};
}

std::vector<Work> ring(const Ends& ends, int devices, How how, int blocks) {
  std::vector<Work> work;
  for (int from = 0; from < devices; ++from)
    work.push_back(copy_between(ends, from, (from + 1) % devices, how, blocks));
  return work;
}

}  // namespace

void measure_links(Ceilings& ceilings) {
  const int devices = gpu_count();
  if (devices < 2) return;
  Ends ends;
  for (int device = 0; device < devices; ++device) {
    for (int peer = 0; peer < devices; ++peer) {
      if (peer != device) enable_peer(device, peer);
    }
    use_device(device);
    ends.out.push_back(make_memory(bytes));
    ends.in.push_back(make_memory(bytes));
  }
  constexpr double size = bytes;
  const auto measure = [&](const std::string& what, int busy, const std::vector<Work>& work) {
    ceilings.rate("links", what, size, busy, lane_rates(work, copies, size));
  };
  measure("copy engine 0->1, one way", 2, {copy_between(ends, 0, 1, How::engine, 0)});
  measure("copy engine 0<->1, both ways, each", 2,
          {copy_between(ends, 0, 1, How::engine, 0), copy_between(ends, 1, 0, How::engine, 0)});
  measure("copy engine, ring of all, each", devices, ring(ends, devices, How::engine, 0));
  for (const int blocks : {4, 8, 16, 32, 64, 132}) {
    measure("put by " + std::to_string(blocks) + " blocks of 512, ring of all, each", devices,
            ring(ends, devices, How::put, blocks));
  }
  for (const int blocks : {4, 8, 16, 32, 64, 132}) {
    measure("get by " + std::to_string(blocks) + " blocks of 512, ring of all, each", devices,
            ring(ends, devices, How::get, blocks));
  }
}

}  // namespace halocline::bench
