// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "halocline/field.hpp"

namespace halocline {

/// The widest halo of any field on each side; domain_radius is that of fields that have none of their own, and of no fields.
/// What the partition has to leave room for, and what one interior for all fields keeps clear of.
[[nodiscard]] Radius widest_radius(const std::vector<FieldDescriptor>& fields, const Radius& domain_radius);

}  // namespace halocline
