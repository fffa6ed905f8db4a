// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "halocline/domain.hpp"

namespace [[gnu::visibility("default")]] halocline {
namespace device {
class Buffer;
}

/// Host memory with the shape of one array of a field of a subdomain: all its cells, or the cells of a box, dense, x fastest,
/// components one after another. Gives the host access to a device's cells, with every backend.
///
/// Owner; must be destroyed before its domain, may be used after the domain is closed. The memory is pinned, which takes
/// long: keep it if it is needed often.
class HostBytes {
 public:
  /// For all cells of a field, halo included. The memory is uninitialised.
  HostBytes(const Subdomain& subdomain, field_id field);
  /// For the cells of a box. Throws InvalidArgument unless it is within Subdomain::with_halo(field). The views then
  /// have the box as owned() and with_halo().
  HostBytes(const Subdomain& subdomain, field_id field, const Box& box);

  /// Reuses the memory for the cells of another box, to go through a large array box by box; it is then uninitialised. Throws
  /// InvalidArgument, and changes nothing, unless the box is within Subdomain::with_halo(field) and has at most as many cells as
  /// this was made for.
  void move_to(const Subdomain& subdomain, field_id field, const Box& box);

  /// By global coordinates, as Subdomain::bytes: a reference to the first byte of each element. Valid as long as this object.
  [[nodiscard]] ByteView bytes() const;
  /// The same as elements. Throws InvalidArgument if T is not the field's type.
  template <typename T>
  [[nodiscard]] View<T> view() const;

  /// Whether cells, element type and components fit a field of a subdomain, or a part of it.
  [[nodiscard]] bool fits(const Subdomain& subdomain, field_id field) const;

  /// Copies the field's current buffer here, or the one that is current after `ahead` swaps, after all work enqueued in the subdomain's
  /// stream so far. Complete when it returns. Throws the error of a failed stream, and InvalidArgument if it does not fit.
  void download(const Subdomain& subdomain, field_id field, int ahead = 0) const;
  /// The opposite direction. Complete when it returns.
  void upload(const Subdomain& subdomain, field_id field, int ahead = 0) const;

 private:
  [[nodiscard]] ViewBounds bounds() const { return {.field = "a copy on the host", .components = components_}; }
  void set_box(const Box& box);
  void copy(const Subdomain& subdomain, field_id field, int ahead, bool up) const;
  void check_element(Element wanted) const;

  Element element_;
  int components_ = 1;
  Box box_;
  Box owned_;
  std::array<std::int64_t, 3> stride_{};
  std::int64_t component_stride_ = 0;
  std::shared_ptr<device::Buffer> memory_;
};

/// HostBytes of a field with its type, e.g.
///
///     const auto cells = hc::to_host(subdomain, u);   // waits for the work before
///     std::cout << cells(x, y, z);
///     cells(x, y, z) = 1;
///     cells.upload(subdomain, u);
template <typename T>
class HostArray {
 public:
  HostArray(const Subdomain& subdomain, Field<T> field) : bytes_(subdomain, field.id), view_(bytes_.view<T>()) {}
  HostArray(const Subdomain& subdomain, Field<T> field, const Box& box)
      : bytes_(subdomain, field.id, box), view_(bytes_.view<T>()) {}

  /// See HostBytes::move_to.
  void move_to(const Subdomain& subdomain, Field<T> field, const Box& box) {
    bytes_.move_to(subdomain, field.id, box);
    view_ = bytes_.view<T>();
  }

  [[nodiscard]] const View<T>& view() const { return view_; }
  [[nodiscard]] T& operator()(const Vec3& p, int component = 0) const { return view_(p, component); }
  [[nodiscard]] T& operator()(std::int64_t x, std::int64_t y, std::int64_t z, int component = 0) const {
    return view_(x, y, z, component);
  }
  void download(const Subdomain& subdomain, Field<T> field, int ahead = 0) const {
    bytes_.download(subdomain, field.id, ahead);
  }
  void upload(const Subdomain& subdomain, Field<T> field, int ahead = 0) const {
    bytes_.upload(subdomain, field.id, ahead);
  }

 private:
  HostBytes bytes_;
  View<T> view_;
};

/// A copy of a field's current buffer, or of the one that is current after `ahead` swaps; see HostBytes::download.
template <typename T>
[[nodiscard]] HostArray<T> to_host(const Subdomain& subdomain, Field<T> field, int ahead = 0) {
  HostArray<T> array(subdomain, field);
  array.download(subdomain, field, ahead);
  return array;
}
/// The same for the cells of a box.
template <typename T>
[[nodiscard]] HostArray<T> to_host(const Subdomain& subdomain, Field<T> field, const Box& box, int ahead = 0) {
  HostArray<T> array(subdomain, field, box);
  array.download(subdomain, field, ahead);
  return array;
}

template <typename T>
View<T> HostBytes::view() const {
  check_element(element_of<std::remove_const_t<T>>());
  const auto raw = bytes();
  return View<T>(reinterpret_cast<std::byte*>(raw.data()), raw.owned(), raw.with_halo(), raw.stride_bytes(),
                 raw.component_stride_bytes(), bounds());
}

}  // namespace halocline
