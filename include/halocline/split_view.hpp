// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "halocline/box.hpp"
#include "halocline/view.hpp"

namespace [[gnu::visibility("default")]] halocline {

/// The same as View, also of fields whose halos in x are stored apart (FieldDescriptor::x_halos_apart): each access compares x with
/// the owned cells. Use it for updates that read halos in x; rows() is faster for the interior, and row() for reads along x.
template <typename T, bool Checked = check_bounds>
class SplitView : private View<T, Checked> {
  using Rows = View<T, Checked>;

 public:
  SplitView() = default;
  /// x_halos: from the halo cells below and above the first owned row that are next to it.
  SplitView(const Rows& rows, const std::array<StridedCells, 2>& x_halos)
      : Rows(rows), below_(x_halos[0]), above_(x_halos[1]) {}

  HALOCLINE_HOST_DEVICE T& operator()(std::int64_t x, std::int64_t y, std::int64_t z, int component = 0) const {
    const Box& cells = owned();
    if (x >= cells.lo.x && x < cells.hi.x) return Rows::operator()(x, y, z, component);
    if constexpr (Checked) Rows::check({x, y, z}, component);
    const StridedCells& halo = x < cells.lo.x ? below_ : above_;
    const std::int64_t next_to = x < cells.lo.x ? cells.lo.x - 1 : cells.hi.x;
    return *reinterpret_cast<T*>(halo.at({x - next_to, y - cells.lo.y, z - cells.lo.z}, component));
  }
  HALOCLINE_HOST_DEVICE T& operator()(const Vec3& p, int component = 0) const {
    return (*this)(p.x, p.y, p.z, component);
  }

  using Rows::owned;
  using Rows::with_halo;
  /// A view of all cells but halos in x: enough for the interior, and for boundaries in y and z.
  [[nodiscard]] HALOCLINE_HOST_DEVICE View<T, Checked> rows() const { return Rows::without_x_halos(); }

  /// The cells of one row, by their x. Refers to the view.
  class Row {
   public:
    HALOCLINE_HOST_DEVICE T& operator()(std::int64_t x) const {
      if constexpr (Checked) view_->check({x, y_, z_}, component_);
      std::byte* const first = x < lo_ ? below_ : x < hi_ ? cells_ : above_;
      const std::int64_t from = x < lo_ ? lo_ - 1 : x < hi_ ? lo_ : hi_;
      return *reinterpret_cast<T*>(first + (x - from) * stride_);
    }

   private:
    friend class SplitView;
    HALOCLINE_HOST_DEVICE Row(const SplitView& view, std::int64_t y, std::int64_t z, int component)
        : view_(&view), y_(y), z_(z), component_(component), lo_(view.owned().lo.x), hi_(view.owned().hi.x) {
      const Vec3 steps{0, y - view.owned().lo.y, z - view.owned().lo.z};
      below_ = view.below_.at(steps, component);
      cells_ = view.in_rows().at(steps, component);
      above_ = view.above_.at(steps, component);
      stride_ = view.in_rows().stride_bytes.x;
    }
    const SplitView* view_;
    std::int64_t y_, z_;
    int component_;
    std::int64_t lo_, hi_;  ///< of the owned cells
    std::byte *below_, *cells_, *above_;
    std::int64_t stride_;
  };
  /// Finds a row once, for several reads along x.
  [[nodiscard]] HALOCLINE_HOST_DEVICE Row row(std::int64_t y, std::int64_t z, int component = 0) const {
    return Row(*this, y, z, component);
  }

 private:
  using Rows::in_rows;
  StridedCells below_;
  StridedCells above_;
};

}  // namespace halocline
