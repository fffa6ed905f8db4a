// SPDX-License-Identifier: BSD-3-Clause
#include "convert.hpp"

namespace halocline::c {
namespace {

static_assert(HALOCLINE_I8 == static_cast<int>(Element::i8) + 1);
static_assert(HALOCLINE_BF16 == static_cast<int>(Element::bf16) + 1);
static_assert(HALOCLINE_C128 == static_cast<int>(Element::c128) + 1);

constexpr std::uint32_t mask_of(int order) {
  std::uint32_t mask = 0;
  for (const Direction d : all_directions) {
    if (d.order() == order) mask |= std::uint32_t{1} << d.index();
  }
  return mask;
}
static_assert(HALOCLINE_EDGES == mask_of(2) && HALOCLINE_CORNERS == mask_of(3));

}  // namespace

Directions directions_of(std::uint32_t mask) {
  if ((mask & ~HALOCLINE_ALL_DIRECTIONS) != 0) {
    throw InvalidArgument("set of directions is " + std::to_string(mask) +
                          "; allowed are the 26 bits of HALOCLINE_ALL_DIRECTIONS");
  }
  return {mask};
}

Stencil stencil_of(const halocline_stencil& stencil) {
  Stencil all = Stencil::per_side(vec(stencil.lower), vec(stencil.upper));
  const Directions without = directions_of(stencil.without);
  for (const Direction d : all_directions) {
    if (without[static_cast<std::size_t>(d.index())]) all = all.with(d, false);
  }
  return all;
}

Element element_of(std::int32_t element) {
  return enumerator<Element>(element, HALOCLINE_I8, HALOCLINE_C128, "element");
}
std::int32_t element_of(Element element) { return static_cast<std::int32_t>(element) + HALOCLINE_I8; }

std::vector<Transfer> transfers_of(std::int32_t count, const halocline_transfer* transfers) {
  std::vector<Transfer> all;
  for (std::size_t i = 0; i < checked_count(count, transfers, "transfers"); ++i) {
    Transfer transfer{.field = field_id(transfers[i].field)};
    if (transfers[i].directions != 0) transfer.directions = directions_of(transfers[i].directions);
    if (transfers[i].depth != 0) transfer.depth = transfers[i].depth;
    all.push_back(transfer);
  }
  return all;
}

halocline_view view_of(const ByteView& view, const FieldDescriptor& field) {
  const auto stride = view.stride_bytes();
  return {view.data(),          {stride[0], stride[1], stride[2]}, view.component_stride_bytes(),
          box_of(view.owned()), box_of(view.with_halo()),          element_of(field.element),
          field.components};
}

}  // namespace halocline::c
