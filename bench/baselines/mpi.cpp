// SPDX-License-Identifier: BSD-3-Clause
// CUDA-aware MPI: persistent requests on device buffers, one message a neighbour.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "baselines/packed.hpp"

namespace halocline::bench {
namespace {

void check_mpi(int status, const char* what) {
  if (status != MPI_SUCCESS) throw CommunicationError(std::string(what) + " failed");
}

class PersistentMpi final : public Transport {
 public:
  explicit PersistentMpi(const Block& block) : messages_(block.plan().messages) {
    const auto bytes = sizeof(float) * static_cast<std::size_t>(block.plan().buffer_elements);
    send_ = cuda_memory(bytes);
    receive_ = cuda_memory(bytes);
    const auto count = [](const Message& m) { return static_cast<int>(m.elements); };
    requests_.resize(2 * messages_.size());
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const Message& m = messages_[i];
      const int peer = static_cast<int>(m.peer);
      check_mpi(MPI_Recv_init(at(receive_, i), count(m), MPI_FLOAT, peer, 0, MPI_COMM_WORLD, &requests_[2 * i]),
                "MPI_Recv_init");
      check_mpi(MPI_Send_init(at(send_, i), count(m), MPI_FLOAT, peer, 0, MPI_COMM_WORLD, &requests_[2 * i + 1]),
                "MPI_Send_init");
    }
  }
  ~PersistentMpi() override {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }
  PersistentMpi(const PersistentMpi&) = delete;
  PersistentMpi& operator=(const PersistentMpi&) = delete;

  [[nodiscard]] float* pack_to(int message, int) override { return at(send_, static_cast<std::size_t>(message)); }
  [[nodiscard]] float* unpack_from(int message, int) override {
    return at(receive_, static_cast<std::size_t>(message));
  }

  /// The pack kernel is done before anything is sent, and with it the unpack kernel of the exchange before, which read what
  /// is now received into.
  void transfer(cudaStream_t stream, int) override {
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    const int count = static_cast<int>(requests_.size());
    check_mpi(MPI_Startall(count, requests_.data()), "MPI_Startall");
    check_mpi(MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }
  void plain(int times) override {
    std::vector<MPI_Request> requests(requests_.size());
    for (; times > 0; --times) {
      int next = 0;
      for (std::size_t i = 0; i < messages_.size(); ++i) {
        const Message& m = messages_[i];
        MPI_Irecv(at(receive_, i), static_cast<int>(m.elements), MPI_FLOAT, static_cast<int>(m.peer), 1, MPI_COMM_WORLD,
                  &requests[static_cast<std::size_t>(next++)]);
      }
      for (std::size_t i = 0; i < messages_.size(); ++i) {
        const Message& m = messages_[i];
        MPI_Isend(at(send_, i), static_cast<int>(m.elements), MPI_FLOAT, static_cast<int>(m.peer), 1, MPI_COMM_WORLD,
                  &requests[static_cast<std::size_t>(next++)]);
      }
      check_mpi(MPI_Waitall(next, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    }
  }
  [[nodiscard]] bool capturable() const override { return false; }

 private:
  [[nodiscard]] float* at(const DeviceMemory& memory, std::size_t message) const {
    return static_cast<float*>(memory.get()) + messages_[message].offset;
  }
  std::vector<Message> messages_;
  DeviceMemory send_;
  DeviceMemory receive_;
  std::vector<MPI_Request> requests_;
};

/// Prints the variables that select Open MPI's transports; other MPIs do not set these.
void log_transports() {
  for (const char* name : {"OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_btl_smcuda_use_cuda_ipc", "UCX_TLS"}) {
    const char* value = std::getenv(name);
    std::printf("%s=%s\n", name, value == nullptr ? "(not set)" : value);
  }
}

void start(comm::RankGroup& world) {
  if (world.backend() != comm::CommBackend::mpi) {
    throw CapabilityError(
        "there is no MPI in this process; start it with mpirun, with HALOCLINE_COMM=mpi for one rank");
  }
  const auto support = world.device_support();
  if (support.verdict != comm::DeviceSupport::Verdict::yes) {
    throw CapabilityError("MPI does not take device pointers: " + support.why);
  }
  if (world.rank().value() == 0) log_transports();
}

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  bench::Library library;
  library.program = "bench_baseline_mpi";
  library.start = bench::start;
  library.methods = {{"MPI", true, [](auto& world, const bench::Block& block) {
                        return std::make_unique<bench::PackedWay>(world, block,
                                                                  std::make_unique<bench::PersistentMpi>(block));
                      }}};
  return bench::run_baselines(argc, argv, library);
}
