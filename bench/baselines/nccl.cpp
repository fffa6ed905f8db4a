// SPDX-License-Identifier: BSD-3-Clause
// NCCL: one grouped ncclSend and ncclRecv a neighbour, on buffers of ncclMemAlloc that are registered with the
// communicator.
#include <nccl.h>

#include <memory>
#include <vector>

#include "baselines/packed.hpp"
#include "comm/agree.hpp"
#include "core/serialise.hpp"

namespace halocline::bench {
namespace {

void check(ncclResult_t status, const char* what) {
  if (status != ncclSuccess) throw DeviceError(std::string(what) + ": " + ncclGetErrorString(status));
}

/// One communicator a process, for all sizes.
ncclComm_t communicator = nullptr;

void start(comm::RankGroup& world) {
  ncclUniqueId id{};
  std::vector<std::byte> bytes;
  comm::agree_on(world, [&] {
    if (world.rank().value() != 0) return;
    check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    bytes = to_bytes(id);
  });
  world.broadcast(bytes, rank_id(0));
  id = from_bytes<ncclUniqueId>(bytes);
  check(ncclCommInitRank(&communicator, world.size(), id, static_cast<int>(world.rank().value())), "ncclCommInitRank");
}

/// Memory that NCCL may read and write from the peer directly.
class Registered {
 public:
  explicit Registered(std::size_t bytes) {
    check(ncclMemAlloc(&memory_, bytes), "ncclMemAlloc");
    check(ncclCommRegister(communicator, memory_, bytes, &handle_), "ncclCommRegister");
  }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  ~Registered() {
    (void)ncclCommDeregister(communicator, handle_);
    (void)ncclMemFree(memory_);
  }
  [[nodiscard]] float* get() const { return static_cast<float*>(memory_); }

 private:
  void* memory_ = nullptr;
  void* handle_ = nullptr;
};

/// A buffer for all sizes. It lives as long as the communicator: in a run with NCCL 2.28.9 that registered buffers anew for each
/// size, the fifth had wrong data or hung; why was not found out.
class Buffer {
 public:
  float* of(std::size_t bytes) {
    if (bytes > bytes_) {
      all_.push_back(std::make_unique<Registered>(bytes));
      bytes_ = bytes;
    }
    return all_.back()->get();
  }
  void free() { all_.clear(); }

 private:
  std::vector<std::unique_ptr<Registered>> all_;  ///< the last is the largest
  std::size_t bytes_ = 0;
};
Buffer send_buffer;
Buffer receive_buffer;

void stop() {
  send_buffer.free();
  receive_buffer.free();
  (void)ncclCommDestroy(communicator);
}

class Nccl final : public Transport {
 public:
  explicit Nccl(const Block& block)
      : block_(&block),
        send_(send_buffer.of(bytes())),
        receive_(receive_buffer.of(bytes())),
        plain_(cuda_memory(2 * bytes())) {}

  [[nodiscard]] float* pack_to(int message, int) override { return send_ + offset(message); }
  [[nodiscard]] float* unpack_from(int message, int) override { return receive_ + offset(message); }
  void transfer(cudaStream_t stream, int) override { send_and_receive(send_, receive_, stream); }
  /// The same bytes from memory of cudaMalloc.
  void plain(int times) override {
    auto* memory = static_cast<float*>(plain_.get());
    for (; times > 0; --times) {
      send_and_receive(memory, memory + block_->plan().buffer_elements, block_->stream());
    }
    bench::check(cudaStreamSynchronize(block_->stream()), "cudaStreamSynchronize");
  }
  [[nodiscard]] bool capturable() const override { return true; }

 private:
  [[nodiscard]] std::size_t bytes() const {
    return sizeof(float) * static_cast<std::size_t>(block_->plan().buffer_elements);
  }
  [[nodiscard]] std::int64_t offset(int message) const {
    return block_->plan().messages[static_cast<std::size_t>(message)].offset;
  }
  void send_and_receive(const float* from, float* to, cudaStream_t stream) const {
    check(ncclGroupStart(), "ncclGroupStart");
    for (const Message& m : block_->plan().messages) {
      const auto elements = static_cast<std::size_t>(m.elements);
      const int peer = static_cast<int>(m.peer);
      check(ncclSend(from + m.offset, elements, ncclFloat, peer, communicator, stream), "ncclSend");
      check(ncclRecv(to + m.offset, elements, ncclFloat, peer, communicator, stream), "ncclRecv");
    }
    check(ncclGroupEnd(), "ncclGroupEnd");
  }
  const Block* block_;
  float* send_;
  float* receive_;
  DeviceMemory plain_;
};

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  bench::Library library;
  library.program = "bench_baseline_nccl";
  library.start = bench::start;
  library.stop = bench::stop;
  library.methods = {{"NCCL", false, [](auto& world, const bench::Block& block) {
                        return std::make_unique<bench::PackedWay>(world, block, std::make_unique<bench::Nccl>(block));
                      }}};
  return bench::run_baselines(argc, argv, library);
}
