// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>

#include "machine/machine_map.hpp"

// The kinds of things in a machine map, and their names in files.
namespace halocline::machine {

inline constexpr std::array all_vertex_kinds{VertexKind::package, VertexKind::numa,       VertexKind::device,
                                             VertexKind::nic,     VertexKind::pci_switch, VertexKind::link_switch};
inline constexpr std::array all_link_kinds{LinkKind::memory, LinkKind::inter_package, LinkKind::pcie, LinkKind::nvlink,
                                           LinkKind::network};
inline constexpr std::array all_traffic{Traffic::one_way, Traffic::two_way, Traffic::all_pairs};
inline constexpr std::array all_halo_paths{HaloPath::local, HaloPath::link};
inline constexpr std::array all_halo_rows{HaloRows::long_rows, HaloRows::short_rows, HaloRows::packed_rows,
                                          HaloRows::packets};

/// "crossbar", "fat_tree", "dragonfly", "torus"
[[nodiscard]] std::string_view name_of(const Fabric::Shape& shape);
[[nodiscard]] std::string_view to_string(VertexKind kind);
[[nodiscard]] std::string_view to_string(LinkKind kind);
[[nodiscard]] std::string_view to_string(Traffic traffic);
[[nodiscard]] std::string_view to_string(HaloPath path);
/// "long", "short", "packed", "packets"
[[nodiscard]] std::string_view to_string(HaloRows rows);

}  // namespace halocline::machine
