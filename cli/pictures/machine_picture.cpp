// SPDX-License-Identifier: BSD-3-Clause
#include "pictures/machine_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "halocline/error.hpp"
#include "pictures/svg.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;
using machine::Link;
using machine::LinkKind;
using machine::NodeType;
using machine::VertexKind;

constexpr double node_margin = 24;
constexpr double node_box_width = 96;
constexpr double node_box_height = 36;
constexpr double node_column = 112;  ///< from one vertex of a row to the next
constexpr double node_row = 92;

/// From the top.
std::size_t row_of(VertexKind kind) {
  switch (kind) {
    case VertexKind::nic: return 0;
    case VertexKind::numa: return 1;
    case VertexKind::package: return 2;
    case VertexKind::pci_switch: return 3;
    case VertexKind::device: return 4;
    case VertexKind::link_switch: return 5;
  }
  throw InternalError("a VertexKind without a row");
}

const char* kind_text(LinkKind kind) {
  switch (kind) {
    case LinkKind::memory: return "memory";
    case LinkKind::inter_package: return "between packages";
    case LinkKind::pcie: return "PCIe";
    case LinkKind::nvlink: return "NVLink";
    case LinkKind::network: return "network";
  }
  throw InternalError("a LinkKind without a text");
}

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 1) + "~";
}

/// Links of one kind and rate are drawn alike.
using Style = std::pair<LinkKind, double>;

class NodePicture {
 public:
  NodePicture(const NodeType& type, Svg& svg, double top) : type_(type), svg_(svg), top_(top) {
    std::map<std::size_t, std::vector<int>> rows;
    for (int v = 0; v < std::ssize(type.vertices); ++v) rows[row_of(vertex(v).kind)].push_back(v);
    std::size_t most = 1;
    for (const auto& [row, members] : rows) most = std::max(most, members.size());
    width_ = static_cast<double>(most) * node_column;
    places_.resize(type.vertices.size());
    double y = top_;
    for (const auto& [row, members] : rows) {
      for (std::size_t i = 0; i < members.size(); ++i) {
        const double x = width_ * (static_cast<double>(i) + 0.5) / static_cast<double>(members.size());
        places_[static_cast<std::size_t>(members[i])] = {node_margin + x, y + node_box_height / 2};
      }
      y += node_row;
    }
    bottom_ = y - node_row + node_box_height;
    for (const Link& link : type.links) {
      if (link.a == link.b) continue;
      styles_.emplace(Style{link.kind, link.bandwidth}, styles_.size());
    }
  }

  void draw() {
    for (const Link& link : type_.links) {
      if (link.a != link.b) draw(link);
    }
    for (int v = 0; v < std::ssize(type_.vertices); ++v) draw(v);
    bottom_ += arcs_ > 0 ? arcs_ + 12 : 12;
    for (const auto& [style, number] : styles_) {
      bottom_ += 20;
      svg_.line({node_margin, bottom_}, {node_margin + 40, bottom_}, line_of(style));
      svg_.text({node_margin + 50, bottom_},
                fmt::format("{}, {:g} GB/s each way", kind_text(style.first), style.second / 1e9));
    }
  }
  [[nodiscard]] double width() const { return width_ + 2 * node_margin; }
  [[nodiscard]] double bottom() const { return bottom_; }

 private:
  [[nodiscard]] const machine::Vertex& vertex(int v) const { return type_.vertices[static_cast<std::size_t>(v)]; }
  [[nodiscard]] Point place(int v) const { return places_[static_cast<std::size_t>(v)]; }
  [[nodiscard]] Svg::Line line_of(const Style& style) const {
    const double width = std::clamp(1 + std::log2(std::max(style.second / 8e9, 1.0)) / 1.5, 1.0, 5.0);
    return {lightened(kind_colour(styles_.at(style)), -0.1), width, style.first == LinkKind::network};
  }

  void draw(const Link& link) {
    const auto style = line_of({link.kind, link.bandwidth});
    const Point a = place(link.a);
    const Point b = place(link.b);
    if (a.y != b.y) return svg_.line(a, b, style);
    // Within a row: beside each other directly, else below what is between.
    const double distance = std::abs(b.x - a.x);
    const bool neighbours = std::ranges::none_of(places_, [&](const Point& p) {
      return p.y == a.y && p.x > std::min(a.x, b.x) + 1 && p.x < std::max(a.x, b.x) - 1;
    });
    if (neighbours) return svg_.line(a, b, style);
    const double rise = std::min(node_box_height / 2 + 6 + distance / 12, node_row - 12);
    if (a.y + node_box_height >= bottom_) arcs_ = std::max(arcs_, rise - node_box_height / 2);
    svg_.arc({std::min(a.x, b.x), a.y}, {std::max(a.x, b.x), a.y}, rise, style);
  }

  void draw(int v) {
    const auto& here = vertex(v);
    const bool device = here.kind == VertexKind::device;
    const Rgb fill = device ? Rgb{207, 227, 255} : Rgb{238, 242, 247};
    const Point p = place(v);
    svg_.frame({p.x - node_box_width / 2, p.y - node_box_height / 2}, node_box_width, node_box_height, fill,
               {{87, 96, 106}, 1, false});
    std::string detail;
    if (device) {
      detail = shortened(here.name, 15);
    } else if (here.cores > 0) {
      detail = plural(here.cores, "core");
    }
    const auto devices = type_.device_vertices();
    const std::string name =
        device ? fmt::format("device {}", std::ranges::find(devices, v) - devices.begin()) : shortened(here.name, 12);
    svg_.text({p.x, p.y - (detail.empty() ? 0 : 7)}, name, {.anchor = "middle", .size = 12});
    if (!detail.empty()) svg_.text({p.x, p.y + 9}, detail, {.anchor = "middle", .size = 10});
  }

  const NodeType& type_;
  Svg& svg_;
  double top_;
  double width_ = 0;
  double bottom_ = 0;
  double arcs_ = 0;  ///< how far arcs reach below the last row
  std::vector<Point> places_;
  std::map<Style, std::size_t> styles_;
};

}  // namespace

std::string topology_svg(const machine::MachineMap& map) {
  Svg svg;
  svg.text({node_margin, node_margin}, map.name, {.bold = true});
  double y = node_margin + 22;
  double width = 400;
  for (std::size_t t = 0; t < map.types.size(); ++t) {
    const auto nodes = std::ranges::count(map.nodes, static_cast<int>(t), &machine::NodeEntry::type);
    const std::string header = fmt::format("node type '{}': {}", map.types[t].name, plural(nodes, "node"));
    svg.text({node_margin, y}, header);
    NodePicture node(map.types[t], svg, y + 20);
    node.draw();
    width = std::max({width, node.width(), letter_width * static_cast<double>(header.size()) + 2 * node_margin});
    y = node.bottom() + 34;
  }
  const std::string network = fmt::format("network: {:g} GB/s a node each way, {:g} us", map.network.bandwidth / 1e9,
                                          map.network.latency * 1e6);
  if (map.nodes.size() > 1) {
    svg.text({node_margin, y}, network);
    y += 20;
  }
  return svg.document(width, y + 4, map.name);
}

}  // namespace cli
