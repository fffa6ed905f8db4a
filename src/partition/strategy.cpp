// SPDX-License-Identifier: BSD-3-Clause
#include "partition/strategy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "partition/detail/grids.hpp"

namespace halocline::partition {
namespace {

using detail::Grids;

constexpr std::array<std::pair<Method, std::string_view>, 6> names{{{Method::bisection, "bisection"},
                                                                    {Method::exact, "exact"},
                                                                    {Method::z_order, "z_order"},
                                                                    {Method::given, "given"},
                                                                    {Method::fastest, "fastest"},
                                                                    {Method::automatic, "automatic"}}};

void check_grid(const char* what, const std::optional<Vec3>& grid, const char* parts, std::int64_t count) {
  if (!grid) return;
  if (grid->x < 1 || grid->y < 1 || grid->z < 1) {
    throw InvalidArgument(
        fmt::format("{} is {}; allowed are 1 or more parts in each dimension", what, to_string(*grid)));
  }
  if (checked_volume(*grid) != count) {
    throw InvalidArgument(fmt::format("{} is {}, {} parts; allowed are grids of as many parts as there are {}, {}",
                                      what, to_string(*grid), grid->volume(), parts, count));
  }
}

void check_weights(const std::vector<double>& weights, std::int64_t parts) {
  if (weights.empty()) return;
  if (std::cmp_not_equal(weights.size(), parts)) {
    throw InvalidArgument(
        fmt::format("number of weights is {}; allowed is one a device, {}, or none", weights.size(), parts));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] <= 0) {
      throw InvalidArgument(
          fmt::format("weight of subdomain {} is {}; allowed are finite numbers above 0", i, weights[i]));
    }
  }
}

void check(const Request& request) {
  if (request.extent.x < 1 || request.extent.y < 1 || request.extent.z < 1) {
    throw InvalidArgument(
        fmt::format("domain extent is {}; allowed are 1 or more cells in each dimension", to_string(request.extent)));
  }
  const std::int64_t cells = checked_volume(request.extent);
  for (const auto& [what, count] :
       {std::pair{"nodes", request.nodes}, std::pair{"devices a node", request.devices_per_node}}) {
    if (count >= 1) continue;
    throw InvalidArgument(fmt::format("number of {} is {}; allowed is 1 or more", what, count));
  }
  std::int64_t parts = 0;
  if (__builtin_mul_overflow(request.nodes, request.devices_per_node, &parts) || parts > cells) {
    throw InvalidArgument(
        fmt::format("number of devices is {} nodes x {}; allowed for a domain of {} are as many as "
                    "it has cells, {}",
                    request.nodes, request.devices_per_node, to_string(request.extent), cells));
  }
  check_weights(request.weights, parts);
  if (request.cuts) return;
  if (request.method == Method::automatic) {
    throw InvalidArgument("method is 'automatic', which depends on a machine; allowed here are the others");
  }
  if (request.method == Method::fastest && !request.cost) {
    throw InvalidArgument("method is 'fastest', but there is no cost; allowed is a request with one");
  }
  if (request.method != Method::given) return;
  if (!request.node_grid && !request.device_grid) {
    throw InvalidArgument("method is 'given', but no grid is; allowed are a node_grid, a device_grid or both");
  }
  check_grid("node_grid", request.node_grid, "nodes", request.nodes);
  check_grid("device_grid", request.device_grid, "devices a node", request.devices_per_node);
}

/// One grid where it is given, or else all.
std::vector<Vec3> candidates(const std::optional<Vec3>& given, std::int64_t parts) {
  return given ? std::vector<Vec3>{*given} : detail::factorisations(parts);
}

bool find_exact(const Request& request, Grids& best) {
  return detail::search(request, detail::factorisations(request.nodes),
                        detail::factorisations(request.devices_per_node), best);
}

Grids choose(const Request& request) {
  Grids grids;
  switch (request.method) {
    case Method::bisection: {
      grids.node = bisection_grid(request.extent, request.nodes);
      grids.device = detail::bisect(request.extent, grids.node, request.devices_per_node);
      if (detail::fits(request, grids.total())) return grids;
      Grids alternative;
      const bool found = find_exact(request, alternative);
      detail::refuse(request, &grids, found ? &alternative : nullptr);
    }
    case Method::given: {
      if (detail::search(request, candidates(request.node_grid, request.nodes),
                         candidates(request.device_grid, request.devices_per_node), grids)) {
        return grids;
      }
      // A level that was left out is shown as bisection would cut it; no other cut fits either.
      const Vec3& ext = request.extent;
      grids.device = request.device_grid ? *request.device_grid
                                         : detail::bisect(ext, *request.node_grid, request.devices_per_node);
      grids.node = request.node_grid ? *request.node_grid : detail::bisect(ext, *request.device_grid, request.nodes);
      Grids alternative;
      const bool found = find_exact(request, alternative);
      detail::refuse(request, &grids, found ? &alternative : nullptr);
    }
    case Method::fastest: {
      const std::vector<Partition> all = candidate_partitions(request);
      std::optional<std::int64_t> least;
      for (const Partition& partition : all) {
        const std::int64_t cost = request.cost(partition);
        if (least && cost >= *least) continue;
        least = cost;
        grids = {partition.node_grid(), partition.device_grid()};
      }
      return grids;
    }
    case Method::z_order:
      if (std::has_single_bit(static_cast<std::uint64_t>(request.nodes)) &&
          std::has_single_bit(static_cast<std::uint64_t>(request.devices_per_node))) {
        grids = detail::z_order_grids(request.nodes, request.devices_per_node);
        if (detail::fits(request, grids.total())) return grids;
      }
      [[fallthrough]];
    case Method::exact:
      if (find_exact(request, grids)) return grids;
      detail::refuse(request, nullptr, nullptr);
    case Method::automatic: break;  // refused by check()
  }
  throw InternalError("a partition method without a case");
}

Order order_of(const Request& request) {
  if (request.method == Method::given) return request.order;
  return request.method == Method::z_order ? Order::z_order : Order::row_major;
}

bool all_equal(const std::vector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(), [&](double w) { return w == weights.front(); });
}

}  // namespace

std::string_view to_string(Method method) {
  for (const auto& [value, name] : names) {
    if (value == method) return name;
  }
  throw InternalError("a partition method without a name");
}

std::string_view to_string(Ties ties) { return ties == Ties::paper ? "paper" : "fewest_in_x"; }

Method method_from_string(std::string_view name) {
  std::string allowed;
  for (const auto& [value, known] : names) {
    if (known == name) return value;
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", known);
  }
  throw InvalidArgument(fmt::format("partition method is '{}'; allowed are {}", name, allowed));
}

double surface_of(const Vec3& extent, const Vec3& node_grid, const Vec3& device_grid) {
  const auto of_part = [&](const Vec3& grid) {
    double sum = 0;
    for (int dim = 0; dim < 3; ++dim) {
      sum += static_cast<double>(grid[dim]) / static_cast<double>(extent[dim] * grid.volume());
    }
    return sum * static_cast<double>(extent.volume());
  };
  return of_part(node_grid) + of_part(node_grid * device_grid);
}

std::vector<Partition> candidate_partitions(const Request& request, std::size_t most) {
  Request asked = request;
  asked.method = Method::exact;
  check(asked);
  check_grid("node_grid", request.node_grid, "nodes", request.nodes);
  check_grid("device_grid", request.device_grid, "devices a node", request.devices_per_node);
  const std::vector<Vec3> node_grids = candidates(request.node_grid, request.nodes);
  const std::vector<Vec3> device_grids = candidates(request.device_grid, request.devices_per_node);
  Grids exact;
  if (!detail::search(asked, node_grids, device_grids, exact)) detail::refuse(asked, nullptr, nullptr);
  std::vector<Grids> all;
  for (const Vec3& node : node_grids) {
    for (const Vec3& device : device_grids) {
      if (detail::fits(asked, node * device)) all.push_back({node, device});
    }
  }
  const auto key = [&](const Grids& grids) {
    const bool other = grids.node != exact.node || grids.device != exact.device;
    return std::tuple(other, grids.total(), grids.node);
  };
  std::ranges::sort(all, {}, key);
  if (all.size() > most) {
    const auto surface = [&](const Grids& grids) { return surface_of(request.extent, grids.node, grids.device); };
    std::ranges::stable_sort(all.begin() + 1, all.end(), {}, surface);
    all.resize(std::max<std::size_t>(most, 1));
    std::ranges::sort(all, {}, key);
  }
  std::vector<Partition> partitions;
  partitions.reserve(all.size());
  for (const Grids& grids : all) {
    partitions.emplace_back(request.extent, grids.node, grids.device, detail::even_cuts(request.extent, grids.total()),
                            Order::row_major);
  }
  return partitions;
}

Partition make_partition(const Request& request) {
  check(request);
  if (request.cuts) {
    const Grids grids = detail::grids_of_cuts(request);
    return {request.extent, grids.node, grids.device, *request.cuts, request.order};
  }
  const Grids grids = choose(request);
  const Order order = order_of(request);
  Partition even(request.extent, grids.node, grids.device, detail::even_cuts(request.extent, grids.total()), order);
  if (all_equal(request.weights)) return even;
  const Vec3 least = detail::least_extent(request.halo, request.boundaries, grids.total());
  return {request.extent, grids.node, grids.device, detail::weighted_cuts(even, request.weights, least), order};
}

}  // namespace halocline::partition
