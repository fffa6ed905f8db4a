// Grouped ncclSend and ncclRecv, one pair a direction, between a pack and an unpack kernel a direction; as one sequence
// of launches, and captured as a graph. GPUs may be of one process or of several.
#include <nccl.h>

#include <cstring>

#include "baselines/baseline.cuh"

namespace halocline::bench {
namespace {

void check(ncclResult_t status, const char* what) {
  if (status != ncclSuccess) throw DeviceError(std::string(what) + ": " + ncclGetErrorString(status));
}

using OwnedComm = std::unique_ptr<ncclComm, ncclResult_t (*)(ncclComm_t)>;

class Nccl final : public Baseline {
 public:
  explicit Nccl(const Making& making) : workload_(making.workload), blocks_(making.blocks) {
    const int mine = static_cast<int>(blocks_->size());
    const int first = static_cast<int>(making.world->rank().value()) * mine;
    ncclUniqueId id{};
    std::vector<std::byte> bytes(sizeof id);
    comm::agree_on(*making.world, [&] {
      if (first != 0) return;
      check(ncclGetUniqueId(&id), "ncclGetUniqueId");
      std::memcpy(bytes.data(), &id, sizeof id);
    });
    making.world->broadcast(bytes, rank_id(0));
    std::memcpy(&id, bytes.data(), sizeof id);
    std::vector<ncclComm_t> comms(blocks_->size());
    check(ncclGroupStart(), "ncclGroupStart");
    for (int i = 0; i < mine; ++i) {
      use_device(block(i).device());
      check(ncclCommInitRank(&comms[static_cast<std::size_t>(i)], making.world->size() * mine, id, first + i),
            "ncclCommInitRank");
    }
    check(ncclGroupEnd(), "ncclGroupEnd");
    for (const ncclComm_t comm : comms) comms_.emplace_back(comm, ncclCommDestroy);
  }

  void exchange() override {
    for (auto& block : *blocks_) block.pack();
    check(ncclGroupStart(), "ncclGroupStart");
    for (std::size_t i = 0; i < blocks_->size(); ++i) send_and_receive(i);
    check(ncclGroupEnd(), "ncclGroupEnd");
    for (auto& block : *blocks_) block.unpack();
  }

 private:
  [[nodiscard]] Block& block(int i) { return (*blocks_)[static_cast<std::size_t>(i)]; }

  /// Both ends go through directions in one order, as NCCL matches the messages of a pair by their order.
  void send_and_receive(std::size_t i) {
    const Block& own = (*blocks_)[i];
    ncclComm_t comm = comms_[i].get();
    for (const Direction d : all_directions) {
      const auto elements = static_cast<std::size_t>(elements_towards(workload_, d));
      const int to = static_cast<int>(neighbour_of(workload_, own.position(), d));
      const int from = static_cast<int>(neighbour_of(workload_, own.position(), d.opposite()));
      check(ncclSend(own.send_buffer(d), elements, ncclFloat, to, comm, own.stream()), "ncclSend");
      check(ncclRecv(own.receive_buffer(d), elements, ncclFloat, from, comm, own.stream()), "ncclRecv");
    }
  }

  Workload workload_;
  std::vector<Block>* blocks_;
  std::vector<OwnedComm> comms_;
};

/// The same, recorded once a GPU and launched as a graph.
class NcclGraph final : public Baseline {
 public:
  explicit NcclGraph(const Making& making) : eager_(making), blocks_(making.blocks) {
    eager_.exchange();  // connections are made by the first use
    for (auto& block : *blocks_) block.synchronize();
    for (auto& block : *blocks_) {
      use_device(block.device());
      bench::check(cudaStreamBeginCapture(block.stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    }
    eager_.exchange();
    for (auto& block : *blocks_) {
      use_device(block.device());
      graphs_.push_back(end_capture(block.stream()));
    }
  }
  void exchange() override {
    for (std::size_t i = 0; i < blocks_->size(); ++i) {
      use_device((*blocks_)[i].device());
      bench::check(cudaGraphLaunch(graphs_[i].get(), (*blocks_)[i].stream()), "cudaGraphLaunch");
    }
  }

 private:
  Nccl eager_;
  std::vector<Block>* blocks_;
  std::vector<OwnedGraph> graphs_;
};

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  return bench::run_baseline(
      argc, argv, "bench_baseline_nccl",
      {{"NCCL", false, [](const bench::Making& m) { return std::make_unique<bench::Nccl>(m); }},
       {"NCCL graph", false, [](const bench::Making& m) { return std::make_unique<bench::NcclGraph>(m); }}});
}
