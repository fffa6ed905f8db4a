// SPDX-License-Identifier: BSD-3-Clause
#include "core/wire.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "halocline/error.hpp"

namespace halocline {
namespace {

std::span<const Element> wire_formats(Element element) {
  static constexpr std::array of_f64{Element::f32, Element::bf16, Element::f16};
  static constexpr std::array of_f32{Element::bf16, Element::f16};
  static constexpr std::array of_c128{Element::c64};
  switch (element) {
    case Element::f64: return of_f64;
    case Element::f32: return of_f32;
    case Element::c128: return of_c128;
    default: return {};
  }
}

}  // namespace

std::string wire_formats_text(Element element) {
  std::string text;
  for (const Element wire : wire_formats(element))
    text += fmt::format("{}{}", text.empty() ? "" : ", ", to_string(wire));
  return text;
}

void check_wire(const FieldDescriptor& field) {
  if (!field.wire || std::ranges::count(wire_formats(field.element), *field.wire) > 0) return;
  const std::string formats = wire_formats_text(field.element);
  throw InvalidArgument(fmt::format("wire of field '{}' is {}; allowed for elements {} {}", field.name,
                                    to_string(*field.wire), to_string(field.element),
                                    formats.empty() ? "is none" : "are " + formats));
}

}  // namespace halocline
