// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "device/backend.hpp"
#include "exchange/exchange.hpp"
#include "halocline/box.hpp"
#include "halocline/field.hpp"
#include "routing/choose.hpp"

namespace halocline {

/// Identifies an array of the user's in errors.
struct UserArrayName {
  std::string field;
  subdomain_id subdomain;
};

/// The cells of an array: owned and halo in the same coordinates.
struct UserCells {
  const FieldDescriptor& field;
  Box owned;
  Box with_halo;
};

/// Whether other devices of the rank may store to the array, which peer access allows for plain device memory only. Throws
/// InvalidArgument if kernels of the device cannot use it: memory of another device or of the host, or no memory. Both
/// ends of the array are checked. On host devices all memory is allowed.
[[nodiscard]] Verdict check_user_memory(const device::Backend& backend, int device, const UserArrayName& name,
                                        const exchange::Array& array, const UserCells& cells);

/// An array of the user's as other ranks map it.
struct ExportedUserArray {
  Verdict possible;
  exchange::ExportedArray array{};
  std::shared_ptr<const void> held{};  ///< see device::ExportedRange
};
[[nodiscard]] ExportedUserArray export_user_array(device::Backend& backend, int device, const UserArrayName& name,
                                                  const exchange::Array& array, const UserCells& cells);

}  // namespace halocline
