// SPDX-License-Identifier: BSD-3-Clause
#include "model/simulation/host_memory.hpp"

#include <utility>

namespace halocline::model::simulation {

using machine::NodeType;
using machine::VertexKind;

int host_vertex(const NodeType& type, int device) {
  for (const VertexKind kind : {VertexKind::numa, VertexKind::package}) {
    int best = -1;
    NodeType::Path best_path;
    for (int v = 0; std::cmp_less(v, type.vertices.size()); ++v) {
      if (type.vertices[static_cast<std::size_t>(v)].kind != kind) continue;
      const NodeType::Path path = type.link_path(device, v);
      const bool wider = path.bandwidth > best_path.bandwidth;
      if (!wider && !(path.bandwidth == best_path.bandwidth && path.latency < best_path.latency)) continue;
      best = v;
      best_path = path;
    }
    if (best >= 0) return best;
  }
  return device;
}

}  // namespace halocline::model::simulation
