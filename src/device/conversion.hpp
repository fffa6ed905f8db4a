// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "core/wire.hpp"
#include "halocline/field.hpp"

namespace halocline::device {

/// How a copy changes real numbers on their way: between the format of cells (f32 or f64) and a narrower one. Complex numbers are
/// two real ones each.
struct Conversion {
  enum class Way : std::uint8_t {
    none,
    pack,    ///< cells -> narrow
    unpack,  ///< narrow -> cells
    round    ///< cells -> cells, with the values that pack and unpack give
  };
  Way way = Way::none;
  Element cells = Element::f64;
  Element narrow = Element::f32;

  [[nodiscard]] constexpr bool any() const { return way != Way::none; }
  /// All of it as one number, for tables of devices; 0 for none.
  [[nodiscard]] constexpr std::uint8_t code() const {
    if (!any()) return 0;
    const int format = narrow == Element::f32 ? 0 : narrow == Element::bf16 ? 1 : 2;
    return static_cast<std::uint8_t>(static_cast<int>(way) + (cells == Element::f64 ? 4 : 0) + 8 * format);
  }
  [[nodiscard]] static constexpr Conversion of_code(std::uint8_t code) {
    if (code == 0) return {};
    const Element format = code / 8 == 0 ? Element::f32 : code / 8 == 1 ? Element::bf16 : Element::f16;
    return {static_cast<Way>(code % 4), code / 4 % 2 == 1 ? Element::f64 : Element::f32, format};
  }
  friend bool operator==(const Conversion&, const Conversion&) = default;
};

/// Calls f.template operator()<Source, Narrow, Target>() with the types of a conversion. Returns f's result, or the default of its
/// type for a conversion that there is not.
template <typename F>
constexpr auto with_formats(const Conversion& conversion, F&& f) {
  const auto by_way = [&]<typename Cells, typename Narrow>() {
    switch (conversion.way) {
      case Conversion::Way::pack: return f.template operator()<Cells, Narrow, Narrow>();
      case Conversion::Way::unpack: return f.template operator()<Narrow, Narrow, Cells>();
      default: return f.template operator()<Cells, Narrow, Cells>();
    }
  };
  using Result = decltype(by_way.template operator()<double, float>());
  const bool wide = conversion.cells == Element::f64;
  switch (conversion.narrow) {
    case Element::f32: return by_way.template operator()<double, float>();
    case Element::bf16:
      return wide ? by_way.template operator()<double, BFloat16>() : by_way.template operator()<float, BFloat16>();
    case Element::f16:
      return wide ? by_way.template operator()<double, Half>() : by_way.template operator()<float, Half>();
    default: return Result();
  }
}

}  // namespace halocline::device
