// MPI on device pointers: MPI_Irecv and MPI_Isend, one message a direction, between a pack and an unpack kernel a
// direction. One rank a GPU.
#include <mpi.h>

#include "baselines/baseline.cuh"

namespace halocline::bench {
namespace {

class DeviceMpi final : public Baseline {
 public:
  explicit DeviceMpi(const Making& making) : workload_(making.workload), blocks_(making.blocks) {
    if (blocks_->size() != 1) {
      throw InvalidArgument("--devices-per-rank is " + std::to_string(blocks_->size()) + "; allowed here is 1");
    }
    if (making.world->twin() != comm::Twin::mpi) {
      throw CapabilityError(
          "there is no MPI in this process; start it with mpirun, with HALOCLINE_COMM=mpi for one rank");
    }
    const auto support = making.world->device_support();
    if (support.verdict != comm::DeviceSupport::Verdict::yes) {
      throw CapabilityError("MPI does not take device pointers: " + support.why);
    }
  }

  void exchange() override {
    Block& own = blocks_->front();
    std::array<MPI_Request, 52> requests{};
    // A message is known by the direction that it was sent in.
    for (const Direction d : all_directions) {
      const int from = static_cast<int>(neighbour_of(workload_, own.position(), d.opposite()));
      MPI_Irecv(own.receive_buffer(d), count(d), MPI_FLOAT, from, d.index(), MPI_COMM_WORLD,
                &requests[static_cast<std::size_t>(d.index())]);
    }
    own.pack();
    own.synchronize();
    for (const Direction d : all_directions) {
      const int to = static_cast<int>(neighbour_of(workload_, own.position(), d));
      MPI_Isend(own.send_buffer(d), count(d), MPI_FLOAT, to, d.index(), MPI_COMM_WORLD,
                &requests[26 + static_cast<std::size_t>(d.index())]);
    }
    MPI_Waitall(52, requests.data(), MPI_STATUSES_IGNORE);
    own.unpack();
    // The next exchange receives into the same buffers.
    own.synchronize();
  }

 private:
  [[nodiscard]] int count(Direction d) const { return static_cast<int>(elements_towards(workload_, d)); }
  Workload workload_;
  std::vector<Block>* blocks_;
};

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  return bench::run_baseline(
      argc, argv, "bench_baseline_mpi",
      {{"CUDA-aware MPI", true, [](const bench::Making& m) { return std::make_unique<bench::DeviceMpi>(m); }}});
}
