// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <array>
#include <cstdint>

#include "ceilings/pairs.hpp"

namespace halocline::bench {
namespace {

class MpiPair final : public Pair {
 public:
  MpiPair(const Partner& partner, std::size_t bytes, std::size_t places, const Allocate& allocate)
      : partner_(static_cast<int>(partner.rank.value())),
        first_(partner.first),
        bytes_(bytes),
        out_(allocate(places * bytes)),
        in_(allocate(places * bytes)) {}

  void ping_pong(int count) override {
    for (int i = 0; i < count; ++i) {
      for (const bool mine : {first_, !first_}) {
        if (mine) MPI_Send(out_.get(), size(), MPI_BYTE, partner_, 0, MPI_COMM_WORLD);
        else MPI_Recv(in_.get(), size(), MPI_BYTE, partner_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    }
  }
  void exchange(int count, std::size_t places) override {
    for (int i = 0; i < count; ++i) {
      std::array<MPI_Request, 2> requests{};
      const std::size_t offset = static_cast<std::size_t>(i) % places * bytes_;
      MPI_Irecv(in_.get() + offset, size(), MPI_BYTE, partner_, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out_.get() + offset, size(), MPI_BYTE, partner_, 0, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    }
  }
  void stream(int count, bool both) override {
    for (int i = 0; i < count; ++i) {
      std::array<MPI_Request, 2 * window> requests{};
      int used = 0;
      const auto next = [&] { return &requests[static_cast<std::size_t>(used++)]; };
      for (std::size_t at = 0; at < window && (both || !first_); ++at) {
        MPI_Irecv(in_.get() + at * bytes_, size(), MPI_BYTE, partner_, 0, MPI_COMM_WORLD, next());
      }
      for (std::size_t at = 0; at < window && (both || first_); ++at) {
        MPI_Isend(out_.get(), size(), MPI_BYTE, partner_, 0, MPI_COMM_WORLD, next());
      }
      MPI_Waitall(used, requests.data(), MPI_STATUSES_IGNORE);
    }
  }

 private:
  [[nodiscard]] int size() const { return static_cast<int>(bytes_); }

  int partner_;
  bool first_;
  std::size_t bytes_;
  std::shared_ptr<std::byte> out_;
  std::shared_ptr<std::byte> in_;
};

bool started_by_mpi(comm::RankGroup& world) { return world.backend() == comm::CommBackend::mpi && world.size() > 1; }

MakePair pairs_in(comm::RankGroup& world, const Allocate& allocate) {
  return [&world, allocate](std::size_t bytes, std::size_t places) {
    return std::make_unique<MpiPair>(*partner_in(world), bytes, places, allocate);
  };
}

void measure_on_device(comm::RankGroup& world, Ceilings& ceilings, const Edges& edges) {
  const auto support = world.device_support();
  const bool here = support.verdict == comm::DeviceSupport::Verdict::yes;
  if (world.all_reduce(std::int64_t{here}, comm::Reduction::min) == 0) {
    ceilings.left_out("mpi_device", here ? "MPI of another rank takes no device memory" : support.why);
  } else if (const Allocate allocate = device_memory(world)) {
    measure_pairs(world, ceilings, "mpi_device", "device", edges, pairs_in(world, allocate));
  } else {
    ceilings.left_out("mpi_device", "a rank sees no GPU");
  }
}

}  // namespace

std::vector<Part> mpi_parts(const Edges& edges) {
  return {{"mpi",
           [edges](comm::RankGroup& world, Ceilings& ceilings) {
             if (started_by_mpi(world))
               measure_pairs(world, ceilings, "mpi", "host", edges, pairs_in(world, host_memory));
           }},
          {"mpi_device", [edges](comm::RankGroup& world, Ceilings& ceilings) {
             if (started_by_mpi(world)) measure_on_device(world, ceilings, edges);
           }}};
}

}  // namespace halocline::bench
