// SPDX-License-Identifier: BSD-3-Clause
#include "fabric_text.hpp"

#include <fmt/core.h>

#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;

std::string link_text(const machine::LinkRate& link) {
  return fmt::format("{}, {}", rate_text(link.bandwidth), seconds_text(link.latency));
}

std::string shape_text(const machine::Crossbar&) { return "one switch"; }

std::string shape_text(const machine::FatTree& tree) {
  std::string text;
  for (const machine::FatTreeLevel& level : tree.levels) {
    text += text.empty() ? fmt::format("fat tree: {}", plural(level.children, "node"))
                         : fmt::format("; {} of these", level.children);
    text += fmt::format(" a switch, all its uplinks {}", link_text(level.uplinks));
  }
  return text;
}

std::string shape_text(const machine::Dragonfly& dragonfly) {
  return fmt::format("dragonfly: {} a router, {} a group, {}; links {} within a group; {} of {} between two groups",
                     plural(dragonfly.nodes_per_router, "node"), plural(dragonfly.routers_per_group, "router"),
                     plural(dragonfly.groups, "group"), link_text(dragonfly.local),
                     plural(dragonfly.links_per_pair, "link"), link_text(dragonfly.global));
}

std::string shape_text(const machine::Torus& torus) {
  std::string lengths;
  std::string links;
  for (const machine::TorusDimension& dimension : torus.dimensions) {
    lengths += fmt::format("{}{}", lengths.empty() ? "" : " x ", dimension.length);
    links += fmt::format("{}{}", links.empty() ? "" : "; ", link_text(dimension.link));
  }
  return fmt::format("torus: {} routers, {} a router; links by dimension {}", lengths,
                     plural(torus.nodes_per_router, "node"), links);
}

}  // namespace

std::string rate_text(double bytes_per_second) {
  return fmt::format("{}/s", bytes_text(static_cast<std::int64_t>(bytes_per_second)));
}

std::string fabric_text(const machine::Fabric& fabric) {
  const std::string shape = std::visit([](const auto& one) { return shape_text(one); }, fabric.shape);
  return fabric.rails == 1 ? shape : fmt::format("{} rails, each a {}", fabric.rails, shape);
}

}  // namespace cli
