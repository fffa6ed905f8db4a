// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/cuda/divider.hpp"
#include "device/cuda/tiling.hpp"
#include "halocline/field.hpp"

namespace halocline::device::cuda {

/// A StridedSum as kernels read it: cells are numbered, x fastest.
struct SumTask {
  std::byte* target = nullptr;
  std::array<std::int64_t, 3> stride{};
  Divider x;  ///< by the cells of a row
  Divider y;  ///< by the rows of a plane
  std::uint32_t cells = 0;
  std::uint32_t first_term = 0;
  std::uint32_t end_term = 0;
  Element element = Element::f32;
};

struct SumTerm {
  const std::byte* first = nullptr;
  std::array<std::int64_t, 3> stride{};
};

/// What a block adds at a time: tile_units cells, or as many as are left.
struct SumTile {
  std::uint32_t task = 0;
  std::uint32_t first_cell = 0;
};

struct SumTable {
  const SumTask* tasks = nullptr;
  const SumTerm* terms = nullptr;
  const SumTile* tiles = nullptr;
  std::uint32_t tile_count = 0;
};

}  // namespace halocline::device::cuda
