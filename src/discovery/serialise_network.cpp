// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/serialise.hpp"
#include "halocline/error.hpp"

namespace halocline::machine {
namespace {

void put(ByteWriter& out, const LinkRate& rate) {
  out.put(rate.bandwidth);
  out.put(rate.latency);
}

LinkRate get_link_rate(ByteReader& in) {
  const double bandwidth = in.real();
  return {bandwidth, in.real()};
}

void put_shape(ByteWriter&, const Crossbar&) {}

void put_shape(ByteWriter& out, const FatTree& tree) {
  out.put_all(tree.levels, [&](const FatTreeLevel& level) {
    out.put(level.children);
    put(out, level.uplinks);
  });
}

void put_shape(ByteWriter& out, const Dragonfly& dragonfly) {
  out.put(dragonfly.nodes_per_router);
  out.put(dragonfly.routers_per_group);
  out.put(dragonfly.groups);
  out.put(dragonfly.links_per_pair);
  put(out, dragonfly.local);
  put(out, dragonfly.global);
}

void put_shape(ByteWriter& out, const Torus& torus) {
  out.put(torus.nodes_per_router);
  out.put_all(torus.dimensions, [&](const TorusDimension& dimension) {
    out.put(dimension.length);
    put(out, dimension.link);
  });
}

FatTree get_fat_tree(ByteReader& in) {
  return {in.all([&] {
    const int children = in.small();
    return FatTreeLevel{children, get_link_rate(in)};
  })};
}

Dragonfly get_dragonfly(ByteReader& in) {
  Dragonfly dragonfly;
  dragonfly.nodes_per_router = in.small();
  dragonfly.routers_per_group = in.small();
  dragonfly.groups = in.small();
  dragonfly.links_per_pair = in.small();
  dragonfly.local = get_link_rate(in);
  dragonfly.global = get_link_rate(in);
  return dragonfly;
}

Torus get_torus(ByteReader& in) {
  Torus torus;
  torus.nodes_per_router = in.small();
  torus.dimensions = in.all([&] {
    const int length = in.small();
    return TorusDimension{length, get_link_rate(in)};
  });
  return torus;
}

Fabric::Shape get_shape(ByteReader& in) {
  switch (in.small()) {
    case 0: return Crossbar{};
    case 1: return get_fat_tree(in);
    case 2: return get_dragonfly(in);
    case 3: return get_torus(in);
    default: throw InternalError("a machine message has a fabric of an unknown shape: ranks of different builds?");
  }
}

}  // namespace

void put(ByteWriter& out, const Network& network) {
  out.put(network.bandwidth);
  out.put(network.latency);
  out.put(network.fabric.rails);
  out.put(static_cast<int>(network.fabric.shape.index()));
  std::visit([&](const auto& shape) { put_shape(out, shape); }, network.fabric.shape);
}

Network get_network(ByteReader& in) {
  Network network;
  network.bandwidth = in.real();
  network.latency = in.real();
  network.fabric.rails = in.small();
  network.fabric.shape = get_shape(in);
  return network;
}

void put(ByteWriter& out, const Software& software) {
  for (const double value : {software.mpi_copy, software.mpi_injection, software.mpi_latency,
                             software.mpi_device_latency, software.mpi_overhead, software.device_launch}) {
    out.put(value);
  }
  out.put(static_cast<int>(software.one_core));
  out.put(static_cast<int>(software.mpi_serialises_streams));
  out.put(static_cast<int>(software.serial_copies));
}

Software get_software(ByteReader& in) {
  Software software;
  for (double* value : {&software.mpi_copy, &software.mpi_injection, &software.mpi_latency,
                        &software.mpi_device_latency, &software.mpi_overhead, &software.device_launch}) {
    *value = in.real();
  }
  software.one_core = in.small() != 0;
  software.mpi_serialises_streams = in.small() != 0;
  software.serial_copies = in.small() != 0;
  return software;
}

}  // namespace halocline::machine
