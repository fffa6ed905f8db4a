// SPDX-License-Identifier: BSD-3-Clause
#include "model/simulation/host_memory.hpp"
#include "machine/paths.hpp"

#include <utility>

namespace halocline::model::simulation {

using machine::NodeType;
using machine::Path;
using machine::VertexKind;

int host_vertex(const NodeType& type, int device) {
  for (const VertexKind kind : {VertexKind::numa, VertexKind::package}) {
    int best = -1;
    Path widest;
    for (int v = 0; std::cmp_less(v, type.vertices.size()); ++v) {
      if (type.vertices[static_cast<std::size_t>(v)].kind != kind) continue;
      const Path path = machine::link_path(type, device, v);
      const bool wider = path.bandwidth > widest.bandwidth;
      if (!wider && !(path.bandwidth == widest.bandwidth && path.latency < widest.latency)) continue;
      best = v;
      widest = path;
    }
    if (best >= 0) return best;
  }
  return device;
}

}  // namespace halocline::model::simulation
