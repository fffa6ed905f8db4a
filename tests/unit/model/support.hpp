// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "machine/machine_map.hpp"
#include "machine/synthetic.hpp"
#include "model/predict.hpp"
#include "partition/halo.hpp"
#include "partition/strategy.hpp"

namespace halocline::model {

inline FieldDescriptor field_of(Element element) {
  FieldDescriptor field;
  field.name = to_string(element);
  field.element = element;
  return field;
}

struct Grids {
  Vec3 nodes{1, 1, 1};
  Vec3 devices{1, 1, 1};
};

inline partition::Geometry geometry_of(const Vec3& extent, const Grids& grids, const Stencil& radius,
                                       std::vector<FieldDescriptor> fields, Boundaries boundaries = all_periodic) {
  return {partition::make_partition({.extent = extent,
                                     .halo = radius,
                                     .nodes = grids.nodes.volume(),
                                     .devices_per_node = grids.devices.volume(),
                                     .method = partition::Method::given,
                                     .node_grid = grids.nodes,
                                     .device_grid = grids.devices,
                                     .boundaries = boundaries}),
          std::move(fields), radius, boundaries};
}

inline machine::MachineMap machine_of(const Grids& grids, std::vector<machine::ExchangeRate> rates) {
  machine::MachineMap map = machine::synthetic(
      {.nodes = grids.nodes.volume(), .devices_per_node = grids.devices.volume(), .ranks_per_node = 1});
  map.types.front().exchange_rates = std::move(rates);
  return map;
}

}  // namespace halocline::model
