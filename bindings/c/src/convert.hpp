// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline.h>

#include <halocline/halocline.hpp>

#include <cstddef>
#include <cstring>
#include <vector>

#include "status.hpp"

// Structs of C as the library's types, and back.
namespace halocline::c {

[[nodiscard]] inline Vec3 vec(const std::int64_t* v) { return {v[0], v[1], v[2]}; }
[[nodiscard]] inline Box box_of(const halocline_box& box) { return {vec(box.lo), vec(box.hi)}; }
[[nodiscard]] inline halocline_box box_of(const Box& box) {
  return {{box.lo.x, box.lo.y, box.lo.z}, {box.hi.x, box.hi.y, box.hi.z}};
}
/// Throws InvalidArgument for bits that are no direction.
[[nodiscard]] Directions directions_of(std::uint32_t mask);
/// Throws InvalidArgument for negative widths, and for faces among `without`.
[[nodiscard]] Stencil stencil_of(const halocline_stencil& stencil);
[[nodiscard]] Element element_of(std::int32_t element);
[[nodiscard]] std::int32_t element_of(Element element);
[[nodiscard]] std::vector<Transfer> transfers_of(std::int32_t count, const halocline_transfer* transfers);
[[nodiscard]] halocline_view view_of(const ByteView& view, const FieldDescriptor& field);
/// The environment's options, with those that are given. NULL: none is.
[[nodiscard]] DomainOptions options_of(const halocline_options* options);

/// A struct with a member `size` as this library has it, whatever version the program was compiled with: members that the program
/// does not have are 0. Throws InvalidArgument for a size that was not set, and where the program sets members that this library
/// does not have.
template <typename T>
[[nodiscard]] T sized(const T& given, std::size_t smallest, const char* name) {
  if (given.size < smallest) {
    throw InvalidArgument(std::string("size of ") + name + " is " + std::to_string(given.size) +
                          "; allowed is sizeof(" + name + ")");
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(&given);
  for (std::size_t i = sizeof(T); i < given.size; ++i) {
    if (bytes[i] != std::byte{0}) {
      throw InvalidArgument(std::string(name) + " sets members that are newer than this library, " +
                            halocline_version());
    }
  }
  T own{};
  std::memcpy(&own, bytes, std::min(sizeof(T), given.size));
  return own;
}

}  // namespace halocline::c
