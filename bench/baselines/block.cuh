#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "baselines/workload.hpp"
#include "support/cuda.cuh"

namespace halocline::bench {

/// The arrays of the fields as kernels take them: dense, halo included, x fastest.
struct FieldPointers {
  float* field[most_fields];
  int fields;
  std::int64_t pitch_y;  ///< elements from a cell to the next in y
  std::int64_t pitch_z;
};

/// One a direction, by its index.
using Buffers = std::array<float*, 26>;

/// One GPU's part as such codes are written: a dense array a field, a pair of buffers and a pair of kernels a
/// direction.
class Block {
 public:
  Block(int device, const Workload& workload, const Vec3& position);

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  [[nodiscard]] const Vec3& position() const { return position_; }
  [[nodiscard]] float* send_buffer(Direction d) const { return at(send_, d); }
  /// For what is sent towards d by the neighbour on the other side.
  [[nodiscard]] float* receive_buffer(Direction d) const { return at(receive_, d); }

  [[nodiscard]] const FieldPointers& pointers() const { return pointers_; }

  /// Enqueues a kernel for each direction: owned cells into the send buffers, all fields in one.
  void pack() { pack(all(send_)); }
  /// Enqueues a kernel for each direction: receive buffers into the halo.
  void unpack() { unpack(all(receive_)); }
  /// The same with memory of the caller's.
  void pack(const Buffers& buffers);
  void unpack(const Buffers& buffers);
  void synchronize();

  /// Fills owned cells by their position in the domain and the round, and halos with NaN; finished at return.
  void fill(std::uint32_t round);
  /// How many cells, halo included, are not what they must be after an exchange.
  [[nodiscard]] std::int64_t wrong_cells(std::uint32_t round);

 private:
  [[nodiscard]] static float* at(const std::array<OwnedMemory, 26>& buffers, Direction d) {
    return static_cast<float*>(buffers[static_cast<std::size_t>(d.index())].get());
  }
  [[nodiscard]] static Buffers all(const std::array<OwnedMemory, 26>& buffers) {
    Buffers pointers{};
    for (const Direction d : all_directions) pointers[static_cast<std::size_t>(d.index())] = at(buffers, d);
    return pointers;
  }
  int device_;
  Workload workload_;
  Vec3 position_;
  OwnedStream stream_;
  std::vector<OwnedMemory> arrays_;
  FieldPointers pointers_{};
  std::array<OwnedMemory, 26> send_;
  std::array<OwnedMemory, 26> receive_;
};

}  // namespace halocline::bench
