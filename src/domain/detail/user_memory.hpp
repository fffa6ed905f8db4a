// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "device/backend.hpp"
#include "exchange/exchange.hpp"
#include "halocline/box.hpp"
#include "halocline/field.hpp"
#include "routing/choose.hpp"

namespace halocline {

/// An array of the user's, for errors.
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
/// InvalidArgument where kernels of the device cannot use it: memory of another device, of the host, or none; both ends of the
/// array are looked at. On host devices all memory will do.
[[nodiscard]] Verdict check_user_memory(const device::Backend& backend, int device, const UserArrayName& name,
                                        const exchange::Array& array, const UserCells& cells);

}  // namespace halocline
