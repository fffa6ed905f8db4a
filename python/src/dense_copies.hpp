// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/box.hpp>
#include <halocline/field.hpp>
#include <halocline/view.hpp>

#include <cstddef>
#include <memory>

struct CUstream_st;

namespace halocline::python {

/// Copies cells of a field from and to dense arrays: components, z, y, x in C order.
class DenseCopies {
 public:
  virtual ~DenseCopies() = default;
  /// Cells of the box become an array's, or 0 where there is none.
  virtual void fill(const ByteView& view, const Box& box, const FieldDescriptor& field,
                    const std::byte* dense) const = 0;
  virtual void take(const ByteView& view, const Box& box, const FieldDescriptor& field, std::byte* dense) const = 0;
};

/// In the memory of the host, at once.
[[nodiscard]] std::unique_ptr<DenseCopies> host_copies();
/// On a GPU: a call enqueues a kernel in the stream. Throws InvalidArgument for an array that is not in the memory of the field's GPU.
[[nodiscard]] std::unique_ptr<DenseCopies> gpu_copies(CUstream_st* stream);

}  // namespace halocline::python
