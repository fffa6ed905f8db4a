// SPDX-License-Identifier: BSD-3-Clause
#include "ceilings/mpi_pairs.hpp"

#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <array>

#include "support/sampling.hpp"

namespace halocline::bench {
namespace {

constexpr int repeats = 7;
constexpr int none = -1;
constexpr std::size_t window = 4;  // messages under way in a direction

class Pair {
 public:
  Pair(comm::RankGroup& world, std::size_t bytes, const Allocate& allocate, std::size_t places = window)
      : world_(&world), bytes_(bytes), out_(allocate(places * bytes)), in_(allocate(places * bytes)) {
    const auto rank = static_cast<int>(world.rank().value());
    const int other = rank ^ 1;
    partner_ = other < world.size() ? other : none;
    first_ = rank % 2 == 0;
  }

  /// Seconds a message: there and back, over two.
  double ping_pong(int count) {
    const auto there_and_back = [&] {
      for (const bool mine : {first_, !first_}) {
        if (mine) MPI_Send(out_.get(), size(), MPI_BYTE, partner_, 0, MPI_COMM_WORLD);
        else MPI_Recv(in_.get(), size(), MPI_BYTE, partner_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    };
    return timed(count, there_and_back) / 2;
  }
  /// Seconds of an exchange: one message each way, and its end. From and to one of `places` in turn: with many of them, out of caches,
  /// as what a device has written.
  double exchange(int count, std::size_t places) {
    std::size_t at = 0;
    return timed(count, [&] {
      std::array<MPI_Request, 2> requests{};
      const std::size_t offset = at++ % places * bytes_;
      MPI_Irecv(in_.get() + offset, size(), MPI_BYTE, partner_, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out_.get() + offset, size(), MPI_BYTE, partner_, 0, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    });
  }
  /// Seconds a message, with several under way in one direction or in both.
  double stream(int count, bool both) {
    const auto send_window = [&] {
      std::array<MPI_Request, 2 * window> requests{};
      int used = 0;
      const auto next = [&] { return &requests[static_cast<std::size_t>(used++)]; };
      for (std::size_t i = 0; i < window && (both || !first_); ++i) {
        MPI_Irecv(in_.get() + i * bytes_, size(), MPI_BYTE, partner_, 0, MPI_COMM_WORLD, next());
      }
      for (std::size_t i = 0; i < window && (both || first_); ++i) {
        MPI_Isend(out_.get(), size(), MPI_BYTE, partner_, 0, MPI_COMM_WORLD, next());
      }
      MPI_Waitall(used, requests.data(), MPI_STATUSES_IGNORE);
    };
    return timed(count, send_window) / window;
  }

 private:
  template <typename Step>
  double timed(int count, const Step& step) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now();
    if (partner_ != none) {
      for (int i = 0; i < count; ++i) step();
    }
    return world_->all_reduce((now() - begin) / count, comm::Reduction::max);
  }
  [[nodiscard]] int size() const { return static_cast<int>(bytes_); }

  comm::RankGroup* world_;
  std::size_t bytes_;
  std::shared_ptr<std::byte> out_;
  std::shared_ptr<std::byte> in_;
  int partner_ = none;
  bool first_ = false;
};

std::shared_ptr<std::byte> host_memory(std::size_t bytes) {
  return {new std::byte[bytes](), std::default_delete<std::byte[]>()};
}

void measure_host_memory(comm::RankGroup& world, Ceilings& ceilings) {
  if (world.backend() == comm::CommBackend::mpi && world.size() > 1)
    measure_pairs(world, ceilings, "mpi", "host", host_memory);
}

}  // namespace

void measure_pairs(comm::RankGroup& world, Ceilings& ceilings, const std::string& part, const std::string& memory,
                   const Allocate& allocate) {
  const int pairs = world.size() / 2;
  constexpr std::size_t mega = std::size_t{1} << 20;
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{65536}, mega}) {
    Pair pair(world, bytes, allocate);
    const int count = bytes < mega ? 200 : 20;
    (void)pair.ping_pong(count / 4);
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i) seconds.push_back(pair.ping_pong(count));
    ceilings.time(part, fmt::format("ping-pong, {} memory, {} pairs", memory, pairs), static_cast<double>(bytes),
                  seconds);
  }
  // Both faces of cubes of four f32 fields, radius 3, with their edges: all goes to the same neighbour.
  for (const std::size_t edge : {64, 128, 256, 512}) {
    const std::size_t bytes = 2 * (edge + 6) * (edge + 6) * 3 * 4 * sizeof(float);
    constexpr std::size_t more_than_caches = 512 * mega;
    const std::size_t places = std::max(more_than_caches / bytes / 2, window);
    Pair pair(world, bytes, allocate, places);
    for (const bool in_turn : {false, true}) {
      const std::size_t used = in_turn ? places : 1;
      const int count = in_turn ? static_cast<int>(places) : bytes < mega ? 100 : 10;
      (void)pair.exchange(count, used);
      std::vector<double> seconds;
      for (int i = 0; i < repeats; ++i) seconds.push_back(pair.exchange(count, used));
      ceilings.time(part,
                    fmt::format("exchange, {} memory{}, {} pairs: two faces of {}^3", memory,
                                in_turn ? " out of caches" : "", pairs, edge),
                    static_cast<double>(bytes), seconds);
    }
  }
  for (const std::size_t bytes : {std::size_t{65536}, mega, 4 * mega, 16 * mega}) {
    Pair pair(world, bytes, allocate);
    const int count = bytes <= mega ? 20 : 3;
    for (const bool both : {false, true}) {
      (void)pair.stream(1, both);
      std::vector<double> rates;
      for (int i = 0; i < repeats; ++i) rates.push_back(static_cast<double>(bytes) / pair.stream(count, both));
      ceilings.rate(part, fmt::format("{} memory, {} pairs, {}", memory, pairs, both ? "both ways, each" : "one way"),
                    static_cast<double>(bytes), world.size(), rates);
    }
  }
}

std::vector<Part> mpi_parts() {
  std::vector<Part> parts{{"mpi", measure_host_memory}};
  for (const auto& part : device_mpi_parts()) parts.push_back(part);
  return parts;
}

}  // namespace halocline::bench
