// SPDX-License-Identifier: BSD-3-Clause
// What thin halos in x cost in memory: of every row of an array, 32 bytes are read at both ends, and 64 bytes between it and the next row
// are written. Few bytes, but each row is a place of its own in memory.
#include <functional>
#include <string>
#include <vector>

#include "ceilings/gpu/lanes.cuh"
#include "ceilings/gpu/parts.cuh"

namespace halocline::bench {
namespace {

constexpr std::size_t rows = std::size_t{1} << 20;
constexpr std::size_t row_units = 128;              // of 16 bytes: 512 numbers of 4 bytes
constexpr std::size_t pitch_units = row_units + 4;  // as a row of Halocline's with thin halos
constexpr unsigned threads = 256;
constexpr int at_once = 4;
constexpr int repeats = 10;

/// Lanes 0 and 1 of a row have its first units, which go behind its end, lanes 2 and 3 its last ones, which go in front of it.
template <bool reads, bool writes>
__global__ void __launch_bounds__(threads) row_ends(uint4* cells, uint4* unused) {
  constexpr std::size_t tile = threads * at_once;
  for (std::size_t first = blockIdx.x * tile; first < rows * 4; first += gridDim.x * tile) {
    uint4 values[at_once];
    for (std::size_t i = 0; i < at_once; ++i) {
      const std::size_t unit = first + i * threads + threadIdx.x;
      const auto lane = static_cast<int>(unit % 4);
      const uint4* row = cells + unit / 4 * pitch_units;
      values[i] = reads ? row[lane < 2 ? lane : row_units - 4 + lane] : make_uint4(1, 2, 3, 4);
    }
    for (std::size_t i = 0; i < at_once; ++i) {
      const std::size_t unit = first + i * threads + threadIdx.x;
      const auto lane = static_cast<int>(unit % 4);
      uint4* row = cells + unit / 4 * pitch_units;
      if (writes) row[lane < 2 ? row_units + lane : lane - 4] = values[i];
      // Never true: reads that nobody uses would be left out.
      if (!writes && values[i].x == 0x7fc12345) *unused = values[i];
    }
  }
}

}  // namespace

void measure_row_ends(Ceilings& ceilings) {
  use_device(0);
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  const OwnedMemory memory = make_memory((rows + 1) * pitch_units * 16);
  auto* const start = static_cast<uint4*>(memory.get());
  uint4* const cells = start + 4;
  const auto blocks = static_cast<unsigned>(4 * processors);
  const auto time = [&](const std::string& what, double bytes, std::function<void(cudaStream_t)> enqueue) {
    std::vector<double> seconds;
    for (int i = 0; i < 5; ++i) seconds.push_back(run_lanes({{0, enqueue}}, repeats).front());
    ceilings.time("rows", what, bytes, seconds);
  };
  const auto launch = [=](auto kernel) {
    return [=](cudaStream_t s) {
      kernel<<<blocks, threads, 0, s>>>(cells, start);
      check_launch("row_ends");
    };
  };
  constexpr double ends = 64.0 * rows;
  time("read 32 bytes at both ends of 2^20 rows of 2 KiB", ends, launch(row_ends<true, false>));
  time("write the 64 bytes between them", ends, launch(row_ends<false, true>));
  time("both: halos of 32 bytes wrap around in x", 2 * ends, launch(row_ends<true, true>));
  time("a contiguous copy of as many bytes", 2 * ends,
       [=](cudaStream_t s) { copy_by_kernel(start, cells + rows * pitch_units / 2, 64 * rows, 8 * processors, s); });
}

}  // namespace halocline::bench
