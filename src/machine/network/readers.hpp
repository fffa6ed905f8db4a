// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "machine/found_network.hpp"

// A reader for each format of networks. Each throws InvalidArgument "<file>:<line>: ..." for malformed text.
namespace halocline::machine::network {

/// Output of ibnetdiscover (infiniband-diags, "Topology file format"). Switches with hosts are leaves; a switch's distance from them is its level. A fat
/// tree's switches of one level and all below that are connected with each other count as one. Rates are these of links (4xEDR); without them, links count and
/// rates are unknown. Hosts are named by the first word of their description. Refuses links between switches of one level: no fat tree.
[[nodiscard]] FoundNetwork read_ibnetdiscover(std::string_view text, std::string_view file);
/// Slurm's topology.conf: topology/tree, of one level too, and topology/block; or output of `scontrol show topology`. Keys are case-insensitive; rates unknown.
[[nodiscard]] FoundNetwork read_slurm(std::string_view text, std::string_view file);
/// XML of hwloc: objects around Machine objects are switches (hwloc 1.x, hwloc-assembler), a Machine alone is a host on one switch. Rates unknown.
[[nodiscard]] FoundNetwork read_hwloc(std::string_view text, std::string_view file);
/// CSV with the header from,to,latency_us,bandwidth_gbytes: see machine/infer_network.hpp.
[[nodiscard]] FoundNetwork read_pairs(std::string_view text, std::string_view file);

}  // namespace halocline::machine::network
