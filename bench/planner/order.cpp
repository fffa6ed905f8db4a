// SPDX-License-Identifier: BSD-3-Clause
// The paper on Astaroth hands subdomains to nodes along a Z-order curve, says that a row-wise scan is worse, and leaves the
// comparison with others open (section 3.3).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <string>

#include "partition/halo.hpp"
#include "partition/strategy.hpp"
#include "planner/planner.hpp"

namespace halocline::bench {
namespace {

struct Size {
  Vec3 extent;
  std::int64_t nodes;
  std::int64_t devices;  ///< of a node
};

/// What crosses nodes in one exchange of one fp32 field.
struct Volume {
  std::int64_t all = 0;
  std::int64_t most_of_a_node = 0;    ///< sent
  std::int64_t most_of_a_device = 0;  ///< sent
  int least_faces = 6;                ///< of a device, towards other nodes
  int most_faces = 0;
};

/// Cells of a grid of subdomains, each one node of one device to the library; node_of says whose they are here.
partition::Geometry geometry_of(const Size& size, const Vec3& grid, std::int64_t radius) {
  partition::Request request{.extent = size.extent, .halo = Stencil::box(radius)};
  request.nodes = grid.volume();
  request.method = partition::Method::given;
  request.node_grid = grid;
  request.device_grid = Vec3::filled(1);
  return {partition::make_partition(request), {FieldDescriptor{}}, Stencil::box(radius), all_periodic};
}

Volume volume_of(const partition::Geometry& geometry, const std::vector<std::int64_t>& node_of) {
  Volume volume;
  std::vector<std::int64_t> sent(node_of.size());
  for (std::size_t s = 0; s < node_of.size(); ++s) {
    const subdomain_id own(static_cast<std::int64_t>(s));
    std::int64_t off_node = 0;
    for (const auto& flow : partition::outgoing_flows(geometry, own)) {
      if (node_of[flow.to.index()] != node_of[s]) off_node += flow.bytes;
    }
    int faces = 0;
    for (const Direction d : all_directions) {
      if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] != 1) continue;
      const auto other = partition::neighbour(geometry, own, d);
      if (other && node_of[other->subdomain.index()] != node_of[s]) ++faces;
    }
    sent[static_cast<std::size_t>(node_of[s])] += off_node;
    volume.all += off_node;
    volume.most_of_a_device = std::max(volume.most_of_a_device, off_node);
    volume.least_faces = std::min(volume.least_faces, faces);
    volume.most_faces = std::max(volume.most_faces, faces);
  }
  volume.most_of_a_node = *std::ranges::max_element(sent);
  return volume;
}

/// Runs of as many subdomains as a node has devices, in the order of a key.
std::vector<std::int64_t> runs(const partition::Geometry& geometry, std::int64_t devices,
                               const std::function<std::int64_t(const Vec3&)>& key) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(geometry.partition.size()));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::ranges::sort(order, {}, [&](std::int64_t s) { return key(geometry.partition.index_of(subdomain_id(s))); });
  std::vector<std::int64_t> node_of(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    node_of[static_cast<std::size_t>(order[at])] = static_cast<std::int64_t>(at) / devices;
  }
  return node_of;
}

std::vector<std::int64_t> row_wise(const partition::Geometry& geometry, std::int64_t devices) {
  const Vec3 grid = geometry.partition.grid();
  return runs(geometry, devices, [&](const Vec3& at) { return at.x + grid.x * (at.y + grid.y * at.z); });
}

std::vector<std::int64_t> along_the_curve(const partition::Geometry& geometry, std::int64_t devices) {
  return runs(geometry, devices, [](const Vec3& at) { return partition::morton_index(at); });
}

/// A grid of subdomains and who gets them. One more way to hand them out is one more line in ways().
struct Way {
  std::string grid_by;
  std::string order;
  Vec3 grid;
  std::function<std::vector<std::int64_t>(const partition::Geometry&)> node_of;
};

std::vector<Way> ways(const Size& size, std::int64_t radius) {
  std::vector<Way> all;
  const auto add = [&](const std::string& grid_by, const Vec3& grid) {
    all.push_back({grid_by, "row-wise", grid, [&size](const auto& g) { return row_wise(g, size.devices); }});
    all.push_back({grid_by, "Z-order", grid, [&size](const auto& g) { return along_the_curve(g, size.devices); }});
  };
  const std::int64_t parts = size.nodes * size.devices;
  if (std::has_single_bit(static_cast<std::uint64_t>(parts))) {
    const Vec3 last = partition::morton_position(parts - 1);
    add("P*", last + Vec3::filled(1));
  }
  const Vec3 least = partition::exact_node_grid(size.extent, Stencil::box(radius), parts);
  add("least halo", least);
  for (const auto mapper : {mapping::Mapper::scotch, mapping::Mapper::partition}) {
    if (mapper == mapping::Mapper::scotch && !mapping::have_scotch()) continue;
    all.push_back({"least halo", std::string(to_string(mapper)), least,
                   [&size, mapper](const auto& g) { return nodes_by(mapper, g, size.devices); }});
  }
  for (const auto method : {partition::Method::bisection, partition::Method::exact}) {
    partition::Request request{.extent = size.extent, .halo = Stencil::box(radius), .nodes = size.nodes};
    request.devices_per_node = size.devices;
    request.method = method;
    const partition::Partition parts_of = partition::make_partition(request);
    const Vec3 box = parts_of.device_grid();
    const Vec3 nodes = parts_of.node_grid();
    all.push_back({std::string(partition::to_string(method)), "boxes", parts_of.grid(), [box, nodes](const auto& g) {
                     std::vector<std::int64_t> node_of;
                     for (std::int64_t s = 0; s < g.partition.size(); ++s) {
                       const Vec3 at = g.partition.index_of(subdomain_id(s));
                       node_of.push_back(at.x / box.x + nodes.x * (at.y / box.y + nodes.y * (at.z / box.z)));
                     }
                     return node_of;
                   }});
  }
  return all;
}

}  // namespace

void order_table(const std::vector<std::int64_t>& radii) {
  const std::array sizes{
      Size{{1024, 1024, 1024}, 8, 8},   Size{{1024, 1024, 1024}, 16, 4},  Size{{4096, 1024, 256}, 16, 4},
      Size{{256, 1024, 4096}, 16, 4},   Size{{2048, 2048, 2048}, 64, 8},  Size{{4096, 2048, 512}, 64, 8},
      Size{{4096, 4096, 4096}, 512, 8}, Size{{4096, 4096, 4096}, 256, 6}, Size{{8192, 4096, 1024}, 256, 6}};
  fmt::print("bytes between nodes in one exchange of one fp32 field, periodic\n");
  fmt::print("{:<20} {:>6} {:>8} {:>7}  {:<11} {:<9} {:<14} {:>10} {:>15} {:>17} {:>7}\n", "cells", "nodes", "devices",
             "radius", "grid by", "order", "grid", "all MB", "most a node MB", "most a device MB", "faces");
  for (const Size& size : sizes) {
    for (const std::int64_t radius : radii) {
      for (const Way& way : ways(size, radius)) {
        const partition::Geometry geometry = geometry_of(size, way.grid, radius);
        const Volume volume = volume_of(geometry, way.node_of(geometry));
        fmt::print("{:<20} {:>6} {:>8} {:>7}  {:<11} {:<9} {:<14} {:>10.1f} {:>15.2f} {:>17.2f} {:>7}\n",
                   to_string(size.extent), size.nodes, size.nodes * size.devices, radius, way.grid_by, way.order,
                   to_string(way.grid), static_cast<double>(volume.all) / 1e6,
                   static_cast<double>(volume.most_of_a_node) / 1e6, static_cast<double>(volume.most_of_a_device) / 1e6,
                   volume.least_faces == volume.most_faces
                       ? fmt::format("{}", volume.most_faces)
                       : fmt::format("{}-{}", volume.least_faces, volume.most_faces));
      }
    }
  }
}

}  // namespace halocline::bench
