// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/halo_width.hpp"
#include "halocline/box.hpp"
#include "halocline/direction.hpp"
#include "halocline/field.hpp"
#include "halocline/ids.hpp"
#include "partition/gather.hpp"
#include "partition/partition.hpp"

namespace halocline::partition {

/// The geometry of a domain that all halo questions are answered from: what is cut how, which fields
/// there are and where the domain ends. A value, the same on every rank.
struct Geometry {
  /// stencil: of the fields that have none of their own. steps: that one exchange serves, 1 or more.
  Geometry(Partition partition, std::vector<FieldDescriptor> fields, const Stencil& stencil,
           const Boundaries& boundaries = all_periodic, int steps = 1);

  Partition partition;
  std::vector<FieldDescriptor> fields;
  Stencil stencil;
  Boundaries boundaries;
  HaloWidth halo_of_domain;  ///< of a field with the domain's stencil
  HaloWidth widest_halo;     ///< the widest on each side, of any field; of no fields, the domain's
  /// Set: there are no halos. Of each field, subdomains of one cell send this cell as the gather says; what comes from the block at
  /// place k of the group is cell k - place_of(receiver) along x, counted from the receiver's own.
  std::optional<Gather> gather;

  /// Whether kernels read around the ends of a dimension by themselves: it is periodic_in_kernel, and not cut.
  [[nodiscard]] bool wraps(int dim) const;
  /// What a step reads beyond a subdomain's box: nothing in dimensions that wrap.
  [[nodiscard]] Stencil beyond_box(const Stencil& stencil) const;
  [[nodiscard]] Stencil stencil_of(field_id field) const;
  [[nodiscard]] const HaloWidth& halo_of(field_id field) const;
  /// All cells of a field, that some subdomain owns: the domain's, one more in an open dimension in which the field is
  /// staggered.
  [[nodiscard]] Box domain_box(field_id field) const;
  /// The cells of a field that a subdomain owns: its box, one cell longer at the upper end of an open
  /// dimension in which the field is staggered.
  [[nodiscard]] Box owned(field_id field, subdomain_id subdomain) const;
  /// owned() grown by the field's halo.
  [[nodiscard]] Box with_halo(field_id field, subdomain_id subdomain) const;
  /// The halo box on side d (in the subdomain's own frame of global coordinates); empty where there is none.
  [[nodiscard]] Box halo(field_id field, subdomain_id subdomain, Direction d) const;

 private:
  std::vector<HaloWidth> halos_;  ///< by field
};

/// The largest radius of any field on each side; `domain` is the stencil of fields that have none of their own, and of no fields.
[[nodiscard]] Stencil widest_stencil(const std::vector<FieldDescriptor>& fields, const Stencil& domain);

/// Who is met in a direction.
struct Neighbour {
  subdomain_id subdomain;
  /// What has to be added to a coordinate in the neighbour's frame to have it in this subdomain's:
  /// not 0 where the way leads through a periodic boundary.
  Vec3 shift;
};

/// The subdomain in direction d, or nothing at an open boundary.
[[nodiscard]] std::optional<Neighbour> neighbour(const Geometry& geometry, subdomain_id subdomain, Direction d);

/// Whether a component is sent towards a direction, and how many are; see FieldDescriptor::component_directions.
[[nodiscard]] bool is_sent(const FieldDescriptor& field, int component, Direction d);
[[nodiscard]] int components_sent(const FieldDescriptor& field, Direction d);

/// Whether cells sent towards a direction land in a halo that is stored apart; see FieldDescriptor::x_halos_apart.
[[nodiscard]] inline bool lands_apart(const FieldDescriptor& field, Direction d) {
  return field.x_halos_apart && d[0] != 0;
}

/// One box of one field in a message: what leaves `from` towards d and fills the halo of `to` on side -d.
struct Segment {
  field_id field;
  Direction direction;
  Box source;                  ///< owned cells of the sender, in its frame
  Box target;                  ///< halo cells of the receiver, in its frame; the same extent as source
  std::int64_t bytes = 0;      ///< in a message, of the components that are sent in this direction
  bool all_components = true;  ///< whether they are all that the field has
};

/// All that goes from one subdomain to another in one exchange, by field then direction; both ends
/// compute the same list, so nothing but cells has to be sent.
struct Message {
  subdomain_id from;
  subdomain_id to;
  std::vector<Segment> segments;
  [[nodiscard]] std::int64_t bytes() const;
};

/// The messages that a subdomain sends (receives), by the other subdomain's id; a message to itself
/// included. Fields without a halo, and directions that are off or that no component is sent towards, give no segments; a pair
/// without segments no message.
/// Cost: proportional to fields x 26; nothing is done for other subdomains.
[[nodiscard]] std::vector<Message> outgoing(const Geometry& geometry, subdomain_id subdomain);
[[nodiscard]] std::vector<Message> incoming(const Geometry& geometry, subdomain_id subdomain);

/// Bytes from one subdomain to another in one exchange of all fields.
struct Flow {
  subdomain_id from;
  subdomain_id to;
  std::int64_t bytes = 0;
  std::int64_t bytes_once = 0;  ///< of a message that holds each cell once (shared_cells.hpp)
};
[[nodiscard]] Flow flow_of(const Message& message);
/// What a subdomain sends, by receiver. Without the segments where all dimensions are cut: for placement of large machines.
[[nodiscard]] std::vector<Flow> outgoing_flows(const Geometry& geometry, subdomain_id subdomain);

/// Throws InvalidArgument where a subdomain is thinner than the halo that its neighbour reads from it
/// (or than its own, where it wraps onto itself), with the least extent that would fit.
void check_fits(const Geometry& geometry);

}  // namespace halocline::partition
