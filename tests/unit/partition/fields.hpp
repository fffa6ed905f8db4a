// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "halocline/field.hpp"

namespace halocline::partition {

/// One f32 value a cell.
inline FieldDescriptor field_named(const std::string& name, const std::optional<Stencil>& radius = std::nullopt) {
  FieldDescriptor field;
  field.name = name;
  field.stencil = radius;
  return field;
}

}  // namespace halocline::partition
