// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/rows.cuh"
#include "mhd/quantities.hpp"
#include "mhd/state.hpp"

// Reductions on a GPU: a block takes one quantity of some rows. What blocks add up are whole numbers, and extremes need no
// order, so that atomic operations leave no trace of timing.
namespace mhd::cuda {

inline constexpr int threads_of_rows = 256;

/// What a reduction works on. A block's quantity is blockIdx.y.
template <typename T, int R>
struct Rows {
  Arrays<T> arrays;
  Scheme<T, R> scheme;
  halocline::Box box;
};

/// Calls f(value) for the cells of this thread.
template <typename T, int R, typename F>
__device__ void for_values(const Rows<T, R>& rows, F&& f) {
  const halocline::Box& box = rows.box;
  apps::cuda::for_rows(box, [&](std::int64_t y, std::int64_t z) {
    const std::int64_t first = rows.arrays.offset(box.lo.x, y, z);
    for (std::int64_t x = threadIdx.x; x < box.hi.x - box.lo.x; x += blockDim.x) {
      const Surroundings<T> values(rows.arrays, first + x, box.lo.x + x - rows.arrays.origin.x);
      f(quantity(static_cast<int>(blockIdx.y), values, rows.scheme));
    }
  });
}

/// Whole numbers in the order of the doubles, and back.
__device__ inline long long key_of(double value) {
  const long long bits = __double_as_longlong(value);
  return bits >= 0 ? bits : bits ^ 0x7fffffffffffffff;
}
__device__ inline double from_key(long long key) {
  return __longlong_as_double(key >= 0 ? key : key ^ 0x7fffffffffffffff);
}

/// Extremes as keys, and sums, as atomic operations take them.
struct Keys {
  long long min[quantity_count];
  long long max[quantity_count];
  unsigned long long not_finite;
};
struct Totals {
  unsigned long long of[quantity_count][4];  ///< high and low of the sum, and of that of squares
};

__global__ void clear(Keys* keys) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < quantity_count) {
    keys->min[i] = 0x7fffffffffffffff;
    keys->max[i] = -0x7fffffffffffffff;
  }
  if (i == 0) keys->not_finite = 0;
}
__global__ void clear(Totals* totals) {
  if (threadIdx.x < quantity_count) {
    for (auto& total : totals->of[threadIdx.x]) total = 0;
  }
}

template <typename T, int R>
__global__ void find_extremes(const __grid_constant__ Rows<T, R> rows, Keys* keys) {
  long long min = 0x7fffffffffffffff;
  long long max = -0x7fffffffffffffff;
  unsigned long long not_finite = 0;
  for_values(rows, [&](double value) {
    if (!isfinite(value)) {
      ++not_finite;
      return;
    }
    const long long key = key_of(value);
    min = key < min ? key : min;
    max = key > max ? key : max;
  });
  atomicMin(&keys->min[blockIdx.y], min);
  atomicMax(&keys->max[blockIdx.y], max);
  if (not_finite > 0) atomicAdd(&keys->not_finite, not_finite);
}

template <typename T, int R>
__global__ void add_up(const __grid_constant__ Rows<T, R> rows, const Scales scales, Totals* totals) {
  long long mine[4] = {0, 0, 0, 0};
  const double scale = scales.of[blockIdx.y];
  for_values(rows, [&](double value) {
    const double part = value / scale;
    const FixedPoint once = fixed_point(part);
    const FixedPoint square = fixed_point(part * part);
    mine[0] += once.high;
    mine[1] += once.low;
    mine[2] += square.high;
    mine[3] += square.low;
  });
  for (int i = 0; i < 4; ++i) {
    atomicAdd(&totals->of[blockIdx.y][i], static_cast<unsigned long long>(mine[i]));
  }
}

/// As the host takes them, in memory of the host.
__global__ void deliver(const Keys* keys, Extremes* result) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < quantity_count) {
    result->min[i] = from_key(keys->min[i]);
    result->max[i] = from_key(keys->max[i]);
  }
  if (i == 0) result->not_finite = static_cast<std::int64_t>(keys->not_finite);
}
__global__ void deliver(const Totals* totals, Sums* result) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= quantity_count) return;
  const auto of = [&](int part) { return static_cast<std::int64_t>(totals->of[i][part]); };
  result->of[i] = {of(0), of(1)};
  result->of_squares[i] = {of(2), of(3)};
}

}  // namespace mhd::cuda
