// SPDX-License-Identifier: BSD-3-Clause
#include "model/closed_form.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "halocline/error.hpp"

namespace halocline::model {
namespace {

void refuse(std::string_view name, double value, std::string_view allowed) {
  throw InvalidArgument(fmt::format("closed form: {} is {}; allowed is {}", name, value, allowed));
}

void check(std::string_view name, double value) {
  if (!(value >= 0 && std::isfinite(value))) refuse(name, value, "a finite number of 0 or more");
}

void check(const ClosedFormCase& domain, const ClosedFormConstants& constants) {
  using Named = std::pair<std::string_view, Vec3>;
  for (const auto& [name, v] :
       {Named{"an extent", domain.extent}, Named{"a number of nodes in a dimension", domain.node_grid},
        Named{"a number of devices in a dimension", domain.device_grid}}) {
    for (int i = 0; i < 3; ++i) {
      if (v[i] < 1) refuse(name, static_cast<double>(v[i]), "a whole number from 1 on");
    }
  }
  check("the radius", static_cast<double>(domain.radius));
  check("seconds_per_update", constants.seconds_per_update);
  check("serial", constants.serial);
  for (const ClosedFormRate& rate : {constants.between_nodes, constants.within_node}) {
    check("seconds_per_cell", rate.seconds_per_cell);
    check("latency", rate.latency);
    check("concurrent", static_cast<double>(rate.concurrent));
  }
}

/// Where a part is one of so many in each dimension: those that it meets, each once, and itself not.
double neighbours_in(const Vec3& grid) {
  double met = 1;
  for (int i = 0; i < 3; ++i) met *= static_cast<double>(std::min<std::int64_t>(grid[i], 3));
  return met - 1;
}

/// The ones of its node: with several nodes in a dimension one side of it, as a local halo has it.
double neighbours_within(const ClosedFormCase& domain) {
  Vec3 met = domain.device_grid;
  for (int i = 0; i < 3; ++i) {
    if (domain.node_grid[i] >= 2) met[i] = std::min<std::int64_t>(met[i], 2);
  }
  return neighbours_in(met);
}

double communication(double cells, double neighbours, const ClosedFormRate& rate) {
  if (neighbours < 1 || cells <= 0) return 0;
  const double at_once = rate.concurrent == 0 ? neighbours : static_cast<double>(rate.concurrent);
  const double slower = std::max(1.0, neighbours / at_once);
  return cells * rate.seconds_per_cell * slower + std::ceil(neighbours / at_once) * rate.latency;
}

/// Extents of a part, and how much its halos add to them.
struct Part {
  std::array<double, 3> owned{};
  std::array<double, 3> halo{};
  [[nodiscard]] double cells() const { return owned[0] * owned[1] * owned[2]; }
  [[nodiscard]] double with_halo() const { return (owned[0] + halo[0]) * (owned[1] + halo[1]) * (owned[2] + halo[2]); }
};

template <typename Sides>
Part part_of(const ClosedFormCase& domain, const Vec3& grid, Sides sides) {
  Part part;
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    part.owned[at] = static_cast<double>(domain.extent[i]) / static_cast<double>(grid[i]);
    part.halo[at] = static_cast<double>(domain.radius * sides(i));
  }
  return part;
}

ClosedForm with_seconds(ClosedForm form, double serial) {
  form.seconds = std::max({form.work, form.between_nodes, form.within_node}) + serial;
  return form;
}

}  // namespace

ClosedForm closed_form_of_node(const ClosedFormCase& domain, const ClosedFormConstants& constants) {
  check(domain, constants);
  const Part node = part_of(domain, domain.node_grid, [&](int i) { return domain.node_grid[i] >= 2 ? 2 : 0; });
  ClosedForm form;
  form.work = node.cells() * constants.seconds_per_update / static_cast<double>(domain.device_grid.volume());
  form.between_nodes =
      communication(2 * (node.with_halo() - node.cells()), neighbours_in(domain.node_grid), constants.between_nodes);
  return with_seconds(form, constants.serial);
}

ClosedForm closed_form_of_device(const ClosedFormCase& domain, const ClosedFormConstants& constants) {
  check(domain, constants);
  const Vec3 grid = domain.node_grid * domain.device_grid;
  const Part all = part_of(domain, grid, [&](int i) { return grid[i] >= 2 ? 2 : 0; });
  const Part local = part_of(domain, grid, [&](int i) {
    if (domain.device_grid[i] < 2) return 0;
    return domain.node_grid[i] >= 2 ? 1 : 2;
  });
  const double devices = static_cast<double>(domain.device_grid.volume());
  const double within = neighbours_within(domain);
  ClosedFormRate share = constants.between_nodes;
  share.seconds_per_cell *= devices;
  ClosedForm form;
  form.work = all.cells() * constants.seconds_per_update;
  form.between_nodes = communication(2 * (all.with_halo() - local.with_halo()), neighbours_in(grid) - within, share);
  form.within_node = communication(2 * (local.with_halo() - local.cells()), within, constants.within_node);
  return with_seconds(form, constants.serial);
}

}  // namespace halocline::model
