#include "baselines/block.cuh"

#include "baselines/region.cuh"

namespace halocline::bench {
namespace {

constexpr unsigned threads = 256;

struct Whole {
  Region arrays;  ///< halo included
  std::int64_t radius;
  std::int64_t cx, cy, cz;  ///< owned cells
  std::int64_t ox, oy, oz;  ///< of the first owned cell in the domain
  std::int64_t gx, gy, gz;  ///< the domain's extent
};

__global__ void pack_kernel(FieldPointers p, Region region, float* buffer) {
  const std::int64_t cells = region.nx * region.ny * region.nz;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const std::int64_t cell = cell_of(region, i, p);
  for (int f = 0; f < p.fields; ++f) buffer[f * cells + i] = p.field[f][cell];
}

__global__ void unpack_kernel(FieldPointers p, Region region, const float* buffer) {
  const std::int64_t cells = region.nx * region.ny * region.nz;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const std::int64_t cell = cell_of(region, i, p);
  for (int f = 0; f < p.fields; ++f) p.field[f][cell] = buffer[f * cells + i];
}

/// A function of a cell's place in the domain; exact in fp32.
__device__ float value_at(std::int64_t x, std::int64_t y, std::int64_t z, int field, std::uint32_t round) {
  std::uint32_t h = round * 2654435761U + static_cast<std::uint32_t>(field);
  for (const std::int64_t part : {x, y, z}) {
    h = (h ^ static_cast<std::uint32_t>(part)) * 2246822519U;
    h ^= h >> 13;
  }
  return static_cast<float>(h >> 8);
}

struct Place {
  std::int64_t x, y, z;  ///< of a cell of the arrays, in the domain, wrapped
  std::int64_t cell;
  bool owned;
};

__device__ Place place_of(const Whole& w, std::int64_t i, const FieldPointers& p) {
  const std::int64_t x = i % w.arrays.nx - w.radius;
  const std::int64_t y = i / w.arrays.nx % w.arrays.ny - w.radius;
  const std::int64_t z = i / (w.arrays.nx * w.arrays.ny) - w.radius;
  const bool owned = x >= 0 && x < w.cx && y >= 0 && y < w.cy && z >= 0 && z < w.cz;
  return {(x + w.ox + w.gx) % w.gx, (y + w.oy + w.gy) % w.gy, (z + w.oz + w.gz) % w.gz, cell_of(w.arrays, i, p), owned};
}

__global__ void fill_kernel(FieldPointers p, Whole w, std::uint32_t round) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= w.arrays.nx * w.arrays.ny * w.arrays.nz) return;
  const Place place = place_of(w, i, p);
  for (int f = 0; f < p.fields; ++f) {
    p.field[f][place.cell] = place.owned ? value_at(place.x, place.y, place.z, f, round) : nanf("");
  }
}

__global__ void check_kernel(FieldPointers p, Whole w, std::uint32_t round, unsigned long long* wrong) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= w.arrays.nx * w.arrays.ny * w.arrays.nz) return;
  const Place place = place_of(w, i, p);
  for (int f = 0; f < p.fields; ++f) {
    // NaN is equal to nothing.
    if (!(p.field[f][place.cell] == value_at(place.x, place.y, place.z, f, round))) atomicAdd(wrong, 1ULL);
  }
}

unsigned blocks_for(std::int64_t cells) { return static_cast<unsigned>((cells + threads - 1) / threads); }

Whole whole_of(const Workload& w, const Vec3& position) {
  const Vec3 arrays = w.cells + Vec3::filled(2 * w.radius);
  const Vec3 origin = position * w.cells;
  const Vec3 domain = w.grid * w.cells;
  return {{0, 0, 0, arrays.x, arrays.y, arrays.z},
          w.radius,
          w.cells.x,
          w.cells.y,
          w.cells.z,
          origin.x,
          origin.y,
          origin.z,
          domain.x,
          domain.y,
          domain.z};
}

}  // namespace

Block::Block(int device, const Workload& workload, const Vec3& position)
    : device_(device), workload_(workload), position_(position) {
  use_device(device);
  stream_ = make_stream();
  const Vec3 extent = workload.cells + Vec3::filled(2 * workload.radius);
  pointers_.fields = workload.fields;
  pointers_.pitch_y = extent.x;
  pointers_.pitch_z = extent.x * extent.y;
  for (int f = 0; f < workload.fields; ++f) {
    arrays_.push_back(make_memory(sizeof(float) * static_cast<std::size_t>(extent.volume())));
    pointers_.field[f] = static_cast<float*>(arrays_.back().get());
  }
  for (const Direction d : all_directions) {
    const auto bytes = sizeof(float) * static_cast<std::size_t>(elements_towards(workload, d));
    send_[static_cast<std::size_t>(d.index())] = make_memory(bytes);
    receive_[static_cast<std::size_t>(d.index())] = make_memory(bytes);
  }
}

void Block::pack(const Buffers& buffers) {
  use_device(device_);
  for (const Direction d : all_directions) {
    const Region region = sent_towards(workload_, d);
    pack_kernel<<<blocks_for(region.nx * region.ny * region.nz), threads, 0, stream()>>>(
        pointers_, region, buffers[static_cast<std::size_t>(d.index())]);
  }
  check_launch("pack_kernel");
}

void Block::unpack(const Buffers& buffers) {
  use_device(device_);
  for (const Direction d : all_directions) {
    const Region region = filled_by(workload_, d);
    unpack_kernel<<<blocks_for(region.nx * region.ny * region.nz), threads, 0, stream()>>>(
        pointers_, region, buffers[static_cast<std::size_t>(d.index())]);
  }
  check_launch("unpack_kernel");
}

void Block::synchronize() { check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize"); }

void Block::fill(std::uint32_t round) {
  use_device(device_);
  const Whole whole = whole_of(workload_, position_);
  fill_kernel<<<blocks_for(whole.arrays.nx * whole.arrays.ny * whole.arrays.nz), threads, 0, stream()>>>(pointers_,
                                                                                                         whole, round);
  check_launch("fill_kernel");
  synchronize();
}

std::int64_t Block::wrong_cells(std::uint32_t round) {
  use_device(device_);
  const OwnedMemory counter = make_memory(sizeof(unsigned long long));
  const Whole whole = whole_of(workload_, position_);
  check_kernel<<<blocks_for(whole.arrays.nx * whole.arrays.ny * whole.arrays.nz), threads, 0, stream()>>>(
      pointers_, whole, round, static_cast<unsigned long long*>(counter.get()));
  check_launch("check_kernel");
  synchronize();
  unsigned long long wrong = 0;
  check(cudaMemcpy(&wrong, counter.get(), sizeof wrong, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return static_cast<std::int64_t>(wrong);
}

}  // namespace halocline::bench
