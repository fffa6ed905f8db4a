// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "device/backend.hpp"
#include "exchange/exchange.hpp"
#include "partition/halo.hpp"

namespace halocline {

/// The memory of one subdomain's fields that Halocline owns: one allocation that others may map, all fields and buffers
/// one after another. Rows are padded so that the first owned cell of each is aligned. Where halos in x are narrow, that is to
/// a sector of memory, and as little as possible lies between rows; elsewhere to Backend::row_alignment_bytes(), and an odd number
/// of these units lies between rows: the ends of rows, which thin x faces consist of, then fall into all buffers of a
/// cache instead of a few. The padding is Halocline's own.
struct Arena {
  std::unique_ptr<device::ShareableBuffer> buffer;
  std::vector<std::vector<exchange::Array>> arrays;  ///< [field][buffer]
};

/// ours[field]: whether Halocline allocates the field; the arrays of other fields stay empty, without an address.
/// Throws ResourceError if the memory cannot be allocated.
[[nodiscard]] Arena make_arena(device::Backend& backend, int device, const partition::Geometry& geometry,
                               subdomain_id subdomain, const std::vector<bool>& ours);

}  // namespace halocline
