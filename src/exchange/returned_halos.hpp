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

/// The reverse of an exchange, expressed as an exchange: halo cells are sent back to the subdomains that own them.
///
/// Each side of each field's halo, in each of its buffers, is a field of a separate geometry. The origin of such a
/// field is shifted by the halo's width, so that on side s its owned cells next to s are the halo's cells. A subdomain
/// receives into separate memory, one box for each side, because cells at an edge or a corner are owned once and
/// returned up to 7 times (more if subdomains are thin). Received cells are then added to the owned cells, or replace
/// them, in a fixed order: faces, edges, corners, each by Direction::index() of the side that they come from. This is
/// the transpose of a linear map: <exchange x, y> = <x, accumulate y>.
class ReturnedHalos {
 public:
  /// forward: the geometry of the exchange, which must outlive this.
  explicit ReturnedHalos(const partition::Geometry& forward);

  [[nodiscard]] const partition::Geometry& geometry() const { return geometry_; }

  /// The most bytes that a subdomain receives, as received() lays them out.
  [[nodiscard]] std::int64_t bytes(subdomain_id subdomain) const;
  /// The arrays that a subdomain sends from and receives into. arrays: the exchange's. memory: bytes() bytes,
  /// aligned to 128.
  [[nodiscard]] LocalSubdomain local(const LocalSubdomain& forward, const device::ShareableBuffer& memory) const;

  /// The sides of fields whose cells the exchange would send; items have whole depths.
  [[nodiscard]] Selection selection(const Selection& forward) const;

  /// The sums that are added to the owned cells of a subdomain. Their targets are disjoint.
  struct Sums {
    std::vector<device::StridedSum> own;      ///< of its own halos alone, which need not be sent
    std::vector<device::StridedSum> arrived;  ///< the others
  };
  /// in_place: the subdomain's own halos are read where they are (Setup::self_in_place).
  [[nodiscard]] Sums sums(const LocalSubdomain& forward, const LocalSubdomain& local, const Selection& selection,
                          bool in_place) const;
  /// Makes copies of sums instead: the last term of a sum replaces the target.
  [[nodiscard]] static std::vector<device::StridedCopy> replacing(const std::vector<device::StridedSum>& sums);

 private:
  /// The halo side that a field of this geometry stands for.
  struct Origin {
    field_id field;
    int buffer = 0;
    Direction side;  ///< of the sender's halo; the direction in which it is sent
  };
  [[nodiscard]] Array sent_array(const LocalSubdomain& forward, const Origin& origin) const;
  /// The cells of a side that a subdomain's owned cells receive.
  struct Arrival {
    field_id returned;  ///< of this geometry
    Direction side;
    Box owned;        ///< the receiver's cells that they are added to
    Vec3 from_owned;  ///< offset from there to where they are: received, or in place
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
