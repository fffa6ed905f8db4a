// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

// Groups of cells of a row that a lane of a warp loads and stores as one, of 16 bytes where rows are aligned to that.
namespace apps::cuda {

inline constexpr int lanes = 32;

/// N cells of a row. Each has a bit in masks: 1 << i for cell i.
template <typename T, int N>
struct Cells {
  T v[N];
};
template <int N>
inline constexpr unsigned all_cells = (1u << N) - 1;

__device__ inline void load_all(Cells<float, 4>& cells, const float* from) {
  const float4 v = *reinterpret_cast<const float4*>(from);
  cells = {{v.x, v.y, v.z, v.w}};
}
__device__ inline void load_all(Cells<double, 2>& cells, const double* from) {
  const double2 v = *reinterpret_cast<const double2*>(from);
  cells = {{v.x, v.y}};
}
template <typename T>
__device__ void load_all(Cells<T, 1>& cells, const T* from) {
  cells.v[0] = *from;
}

// Written cells are read by the next step at the earliest, so they need not displace cells that this step reads.
__device__ inline void store_all(float* to, const Cells<float, 4>& cells) {
  __stcs(reinterpret_cast<float4*>(to), make_float4(cells.v[0], cells.v[1], cells.v[2], cells.v[3]));
}
__device__ inline void store_all(double* to, const Cells<double, 2>& cells) {
  __stcs(reinterpret_cast<double2*>(to), make_double2(cells.v[0], cells.v[1]));
}
template <typename T>
__device__ void store_all(T* to, const Cells<T, 1>& cells) {
  __stcs(to, cells.v[0]);
}

// The same for cells that the cache may keep for the next step.
__device__ inline void keep_all(float* to, const Cells<float, 4>& cells) {
  *reinterpret_cast<float4*>(to) = make_float4(cells.v[0], cells.v[1], cells.v[2], cells.v[3]);
}
__device__ inline void keep_all(double* to, const Cells<double, 2>& cells) {
  *reinterpret_cast<double2*>(to) = make_double2(cells.v[0], cells.v[1]);
}

/// Cells outside the mask are not touched, and 0.
template <typename T, int N>
__device__ Cells<T, N> load(const T* from, unsigned mask) {
  Cells<T, N> cells{};
  if (mask == all_cells<N>) {
    load_all(cells, from);
  } else if (mask != 0) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if ((mask >> i & 1u) != 0) cells.v[i] = from[i];
    }
  }
  return cells;
}

/// Cell by cell, and they stay in the cache.
template <typename T, int N>
__device__ void store_each(T* to, const Cells<T, N>& cells, unsigned mask) {
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if ((mask >> i & 1u) != 0) to[i] = cells.v[i];
  }
}

template <typename T, int N>
__device__ void store(T* to, const Cells<T, N>& cells, unsigned mask) {
  if (mask == all_cells<N>) {
    store_all(to, cells);
  } else if (mask != 0) {
    store_each<T, N>(to, cells, mask);
  }
}

/// Brings what lies at an address into the L2 cache, where devices agree on it.
__device__ inline void prefetch(const void* address, bool wanted) {
  if (wanted) asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

/// The mask of the cells x, x + 1, ... that lie in [lo, hi).
template <int N, typename Integer>
__device__ unsigned mask_within(Integer x, Integer lo, Integer hi) {
  unsigned mask = 0;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if (x + i >= lo && x + i < hi) mask |= 1u << i;
  }
  return mask;
}

/// The address that is this number of bytes further on.
template <typename T>
__device__ T* shifted(T* address, std::int64_t bytes) {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return reinterpret_cast<T*>(reinterpret_cast<Byte*>(address) + bytes);
}

}  // namespace apps::cuda
