// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <complex>
#include <cstdint>
#include <string>

#include "halocline/error.hpp"
#include "halocline/field.hpp"
#include "support/seeded.hpp"

// The values of cells in tests of exchanges, and their comparison.
namespace halocline::test {

/// Calls f with a value of the element's C++ type.
template <typename F>
void with_type(Element element, F&& f) {
  switch (element) {
    case Element::u8: return f(std::uint8_t{});
    case Element::u16: return f(std::uint16_t{});
    case Element::u32: return f(std::uint32_t{});
    case Element::u64: return f(std::uint64_t{});
    case Element::f32: return f(float{});
    case Element::f64: return f(double{});
    case Element::c128: return f(std::complex<double>{});
    default: throw InternalError("no test values for this element type");
  }
}

inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return Seeded(a * 0x9e3779b97f4a7c15u + b).next(); }

/// The value of a domain cell (unwrapped) of a field in a step.
template <typename T>
T value_of(field_id field, int component, const Vec3& p, int step) {
  const std::uint64_t array =
      mixed(static_cast<std::uint64_t>(field.value() * 64 + component), static_cast<std::uint64_t>(step));
  const auto x = static_cast<std::uint64_t>(p.x), y = static_cast<std::uint64_t>(p.y),
             z = static_cast<std::uint64_t>(p.z);
  const std::uint64_t bits = mixed(array, x * 0xd6e8feb86659fd93u + y * 0xa0761d6478bd642fu + z * 0xe7037ed1a0b428dbu);
  if constexpr (std::is_integral_v<T>) return static_cast<T>(bits);
  else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(bits % 16777213);
  else return {static_cast<double>(bits % 1000003), static_cast<double>(bits % 999983)};
}

/// The same for a cell of a field: with a wire format, numbers that it does not hold, within the range of all formats.
template <typename T>
T value_in(const FieldDescriptor& field, field_id id, int component, const Vec3& p, int step) {
  const T value = value_of<T>(id, component, p, step);
  if constexpr (std::is_integral_v<T>) return value;
  else if constexpr (std::is_floating_point_v<T>) return field.wire ? value / T(3000) : value;
  else return field.wire ? value / typename T::value_type(3000) : value;
}

/// The value of cells that must not be written.
template <typename T>
T sentinel(int step) {
  return value_of<T>(field_id(99), 0, {-7, -7, -7}, step);
}

/// Whether an exchange sends a component of a field to the halo on a side.
inline bool arrives(const FieldDescriptor& field, int component, Direction side) {
  if (field.component_directions.empty()) return true;
  const Directions& sent = field.component_directions[static_cast<std::size_t>(component)];
  return sent.test(static_cast<std::size_t>(side.opposite().index()));
}

/// Counts and describes wrong cells.
class Findings {
 public:
  void add(const std::string& text) {
    if (++count_ <= 3) text_ += (text_.empty() ? "" : "; ") + text;
  }
  void compared(std::int64_t cells) { cells_ += cells; }
  [[nodiscard]] std::string text() const { return count_ == 0 ? "" : fmt::format("{} wrong: {}", count_, text_); }
  [[nodiscard]] std::int64_t cells() const { return cells_; }

 private:
  std::int64_t count_ = 0;
  std::string text_;
  std::int64_t cells_ = 0;
};

}  // namespace halocline::test
