// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "halocline/box.hpp"

// Astaroth's model of a step (Pekkilä et al., Eqs. 4 to 12): communication concurrent with computation, then the sequential part.
// Quick, and blind to what messages share besides a node's or device's own rate; see simulate.hpp for that.
namespace halocline::model {

/// A domain that is cut evenly; parts may be fractions of cells. All dimensions are periodic.
struct ClosedFormCase {
  Vec3 extent{};
  Vec3 node_grid{1, 1, 1};
  Vec3 device_grid{1, 1, 1};
  std::int64_t radius = 0;
};

/// Communication at one level.
struct ClosedFormRate {
  double seconds_per_cell = 0;  ///< beta^-1: of cells sent and received, both counted, with all neighbours at work
  /// The paper leaves out this term and the next one, and names them among its limits.
  double latency = 0;  ///< seconds of each round of messages; 0 leaves them out
  /// Neighbours that are served at once; 0 for any number. Of n neighbours this many have their part of the rate, so that there
  /// are rounds.
  std::int64_t concurrent = 0;
};

struct ClosedFormConstants {
  double seconds_per_update = 0;  ///< pi^-1: of one cell on one device
  double serial = 0;              ///< tau_0: seconds that nothing overlaps
  ClosedFormRate between_nodes;   ///< of a node; its devices share it evenly
  ClosedFormRate within_node;     ///< of a device
};

/// Seconds of a step at one level.
struct ClosedForm {
  double work = 0;           ///< tau_W
  double between_nodes = 0;  ///< tau_Q; at the level of devices the greater of this and within_node
  double within_node = 0;    ///< 0 at the level of nodes
  double seconds = 0;        ///< max(tau_W, tau_Q) + tau_0
  /// Of perfectly parallel work: 1 where nothing but work takes time.
  [[nodiscard]] double efficiency() const { return seconds > 0 ? work / seconds : 1; }
};

/// A node, Q = 2 (C_M' - C_N'). A dimension that is not cut between nodes has no halo between them; the paper cuts all
/// of them at least in two. Throws InvalidArgument where an extent or grid is below 1, or the radius or a constant below 0.
[[nodiscard]] ClosedForm closed_form_of_node(const ClosedFormCase& domain, const ClosedFormConstants& constants);
/// A device: Q_inter = 2 (C_M'' - C_L'') and Q_intra = 2 (C_L'' - C_N''), sent and received as for nodes. A dimension that
/// is not cut between nodes has both its halos within the node. Throws as closed_form_of_node does.
[[nodiscard]] ClosedForm closed_form_of_device(const ClosedFormCase& domain, const ClosedFormConstants& constants);

}  // namespace halocline::model
