// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "halocline/field.hpp"

namespace halocline::test {

/// The 19 velocities of D3Q19, the zero velocity first.
inline std::vector<Vec3> d3q19_velocities() {
  std::vector<Vec3> all{{0, 0, 0}};
  for (const Direction d : all_directions) {
    if (d.order() < 3) all.push_back(d.vec());
  }
  return all;
}

/// A field with one population for each velocity of D3Q19; each is sent in the directions in which it streams.
inline FieldDescriptor populations(const std::string& name, Element element) {
  FieldDescriptor field;
  field.name = name;
  field.element = element;
  field.components = 19;
  field.component_directions = directions_of_velocities(d3q19_velocities());
  return field;
}

}  // namespace halocline::test
