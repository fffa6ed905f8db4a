// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "device/strided_copy.hpp"
#include "device/strided_sum.hpp"
#include "exchange/exchange.hpp"
#include "partition/halo.hpp"

namespace halocline::exchange {

/// An exchange backwards, as an exchange: halo cells go back to the subdomains that own them.
///
/// Each side of each field's halo, in each of its buffers, is a field of a geometry of its own. On side s its owned cells next to s are
/// the halo's, by an origin that is moved by the halo's width; what a subdomain receives lands in memory of its own, one box for each
/// side, as cells at an edge or a corner are owned once and returned up to 7 times (more where subdomains are thin). It is then added
/// to the owned cells, or replaces them, in a fixed order: faces, edges, corners, each by Direction::index() of the side that it comes
/// from. A linear map's transpose: <exchange x, y> = <x, accumulate y>.
class ReturnedHalos {
 public:
  /// forward: of the exchange; it outlives this.
  explicit ReturnedHalos(const partition::Geometry& forward);

  [[nodiscard]] const partition::Geometry& geometry() const { return geometry_; }

  /// Bytes that a subdomain receives at most: what received() lays out.
  [[nodiscard]] std::int64_t bytes(subdomain_id subdomain) const;
  /// What a subdomain sends and where it receives. arrays: of the exchange. memory: of bytes(), aligned to 128.
  [[nodiscard]] LocalSubdomain local(const LocalSubdomain& forward, const device::ShareableBuffer& memory) const;

  /// The sides of fields whose cells the exchange would send; items have whole depths.
  [[nodiscard]] Selection selection(const Selection& forward) const;

  /// What is added to the owned cells of a subdomain. The targets of all are disjoint.
  struct Sums {
    std::vector<device::StridedSum> own;      ///< of its own halos alone, which need not be sent
    std::vector<device::StridedSum> arrived;  ///< the others
  };
  /// in_place: the subdomain's own halos are read where they are (Setup::self_in_place).
  [[nodiscard]] Sums sums(const LocalSubdomain& forward, const LocalSubdomain& local, const Selection& selection,
                          bool in_place) const;
  /// A sum whose last term replaces the target, instead.
  [[nodiscard]] static std::vector<device::StridedCopy> replacing(const std::vector<device::StridedSum>& sums);

 private:
  /// Where a field of this geometry comes from.
  struct Origin {
    field_id field;
    int buffer = 0;
    Direction side;  ///< of the sender's halo; the direction in which it is sent
  };
  /// What a subdomain's owned cells get of a side.
  struct Arrival {
    field_id returned;  ///< of this geometry
    Direction side;
    Box owned;        ///< the receiver's cells that get it
    Vec3 from_owned;  ///< to where it lies: landed, or in place
    bool in_place = false;
  };
  static partition::Geometry geometry_of(const partition::Geometry& forward, std::vector<Origin>& origins);
  [[nodiscard]] Vec3 width_of(const Origin& origin) const;
  [[nodiscard]] Box landed(field_id returned, subdomain_id subdomain) const;
  /// In order. Empty boxes, and sides beyond an open end, are left out.
  [[nodiscard]] std::vector<Arrival> arrivals(subdomain_id subdomain, field_id field, int buffer,
                                              const Selection& selection, bool in_place) const;

  const partition::Geometry* forward_;
  std::vector<Origin> origins_;  ///< by field of this geometry
  partition::Geometry geometry_;
};

}  // namespace halocline::exchange
