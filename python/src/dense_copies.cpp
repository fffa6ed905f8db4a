// SPDX-License-Identifier: BSD-3-Clause
#include "dense_copies.hpp"

#include <cstdint>
#include <cstring>

namespace halocline::python {
namespace {

/// Calls f(first cell, offset in the dense array, bytes) for each run of cells that follow each other in both.
template <typename F>
void for_each_run(const ByteView& view, const Box& box, const FieldDescriptor& field, F&& f) {
  const std::int64_t bytes = bytes_of(field.element);
  const std::int64_t step = view.stride_bytes()[0];
  const std::int64_t cells = box.extent().x;
  if (cells == 0) return;
  const std::int64_t runs = step == bytes ? 1 : cells;
  const auto run = static_cast<std::size_t>(cells / runs * bytes);
  std::size_t offset = 0;
  for (int component = 0; component < field.components; ++component) {
    for (std::int64_t z = box.lo.z; z < box.hi.z; ++z) {
      for (std::int64_t y = box.lo.y; y < box.hi.y; ++y) {
        std::byte* row = &view({box.lo.x, y, z}, component);
        for (std::int64_t i = 0; i < runs; ++i, offset += run) f(row + i * step, offset, run);
      }
    }
  }
}

class HostCopies final : public DenseCopies {
 public:
  void fill(const ByteView& view, const Box& box, const FieldDescriptor& field, const std::byte* dense) const override {
    for_each_run(view, box, field, [&](std::byte* cell, std::size_t offset, std::size_t bytes) {
      if (dense == nullptr) {
        std::memset(cell, 0, bytes);
      } else {
        std::memcpy(cell, dense + offset, bytes);
      }
    });
  }
  void take(const ByteView& view, const Box& box, const FieldDescriptor& field, std::byte* dense) const override {
    for_each_run(view, box, field, [&](const std::byte* cell, std::size_t offset, std::size_t bytes) {
      std::memcpy(dense + offset, cell, bytes);
    });
  }
};

}  // namespace

std::unique_ptr<DenseCopies> host_copies() { return std::make_unique<HostCopies>(); }

}  // namespace halocline::python
