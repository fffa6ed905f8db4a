// SPDX-License-Identifier: BSD-3-Clause
#include "machine/names.hpp"
#include "halocline/error.hpp"
#include "machine/machine_map.hpp"

namespace halocline::machine {

std::string_view to_string(VertexKind kind) {
  switch (kind) {
    case VertexKind::package: return "package";
    case VertexKind::numa: return "numa";
    case VertexKind::device: return "device";
    case VertexKind::nic: return "nic";
    case VertexKind::pci_switch: return "pci_switch";
    case VertexKind::link_switch: return "link_switch";
  }
  throw InternalError("a VertexKind without a name");
}

std::string_view to_string(LinkKind kind) {
  switch (kind) {
    case LinkKind::memory: return "memory";
    case LinkKind::inter_package: return "inter_package";
    case LinkKind::pcie: return "pcie";
    case LinkKind::nvlink: return "nvlink";
    case LinkKind::network: return "network";
  }
  throw InternalError("a LinkKind without a name");
}

std::string_view to_string(Traffic traffic) {
  switch (traffic) {
    case Traffic::one_way: return "one_way";
    case Traffic::two_way: return "two_way";
    case Traffic::all_pairs: return "all_pairs";
  }
  throw InternalError("a Traffic without a name");
}

std::string_view to_string(HaloPath path) {
  switch (path) {
    case HaloPath::local: return "local";
    case HaloPath::link: return "link";
  }
  throw InternalError("a HaloPath without a name");
}

std::string_view to_string(HaloRows rows) {
  switch (rows) {
    case HaloRows::long_rows: return "long";
    case HaloRows::short_rows: return "short";
    case HaloRows::packed_rows: return "packed";
    case HaloRows::packets: return "packets";
  }
  throw InternalError("a HaloRows without a name");
}

std::string_view name_of(const Fabric::Shape& shape) {
  switch (shape.index()) {
    case 0: return "crossbar";
    case 1: return "fat_tree";
    case 2: return "dragonfly";
    case 3: return "torus";
  }
  throw InternalError("a fabric without a name");
}

}  // namespace halocline::machine
