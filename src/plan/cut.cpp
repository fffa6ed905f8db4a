// SPDX-License-Identifier: BSD-3-Clause
#include "plan/cut.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "core/limits.hpp"
#include "halocline/error.hpp"
#include "model/simulate.hpp"
#include "partition/size.hpp"
#include "plan/detail/balance.hpp"
#include "plan/detail/joint.hpp"
#include "plan/detail/known_times.hpp"
#include "plan/detail/simulated_machine.hpp"
#include "plan/detail/system.hpp"

namespace halocline {
namespace {

partition::Method method_of(const PlanRequest& request) {
  return request.cuts ? partition::Method::given : request.partition;
}

void check_fields(const std::vector<FieldDescriptor>& fields) {
  if (std::cmp_greater(fields.size(), limits::fields)) {
    throw InvalidArgument(fmt::format("number of fields is {}; allowed is at most {}", fields.size(), limits::fields));
  }
  for (const FieldDescriptor& field : fields) {
    for (const auto& [what, count, most] : {std::tuple{"components", field.components, limits::components},
                                            std::tuple{"buffers", field.buffers, limits::buffers}}) {
      if (count >= 1 && count <= most) continue;
      throw InvalidArgument(
          fmt::format("number of {} of field '{}' is {}; allowed is 1 to {}", what, field.name, count, most));
    }
  }
}

/// Throws InvalidArgument where there are too few steps, or halos would be too wide to count.
HaloWidth widest_halo(const PlanRequest& request) {
  const int steps = request.steps_per_exchange;
  if (steps < 1) throw InvalidArgument(fmt::format("steps_per_exchange is {}; allowed is 1 or more", steps));
  const Stencil widest = partition::widest_stencil(request.fields, request.stencil);
  if (HaloWidth(widest).most() > std::numeric_limits<std::int64_t>::max() / steps) {
    throw InvalidArgument(fmt::format("radius is {} with steps_per_exchange {}; allowed are products below 2^63",
                                      to_string(widest), steps));
  }
  return halo_width(widest, widest, steps);
}

/// The methods for a machine: automatic ones decided.
struct Methods {
  partition::Method partition;
  placement::Method placement;
  bool unequal = false;
  bool prefers_exact = false;  ///< by `automatic`: unless another grid saves percent_worth of the time
};

/// Comparing all grids of more devices takes more than a tenth of a second.
constexpr std::size_t most_predicted = 512;
/// Predictions are off by as much.
constexpr std::int64_t percent_worth = 10;
/// Times that differ by less are alike, and fewer messages decide: on four GPUs a cube cut in one dimension takes 10 to 13 % less time than
/// cut in two, though both send the same bytes (docs/measurements/exchange.md, grids on four H200).
constexpr std::int64_t percent_alike = 2;

/// Whether `automatic` compares predicted times. Exchange rates are rates of `direct`.
bool predicts_by_default(const PlanRequest& asked) {
  const auto& order = asked.policy.order;
  return !speeds_differ(asked) && asked.ties != partition::Ties::paper && !placement::gives_owners(asked.placement) &&
         std::ranges::find(order, routing::Transport::direct) != order.end() &&
         placement::slots_of(asked.machine).size() <= most_predicted && why_not_predicted(asked).empty();
}

Methods methods_for(const PlanRequest& asked) {
  Methods methods{method_of(asked), asked.placement.method, links_are_unequal(asked)};
  const bool even = asked.weights.empty();
  if (methods.partition == partition::Method::automatic) {
    methods.prefers_exact = even && !methods.unequal && predicts_by_default(asked);
    const bool by_time = even && (methods.unequal || methods.prefers_exact);
    methods.partition = by_time ? partition::Method::fastest : partition::Method::exact;
  }
  if (methods.placement == placement::Method::automatic && methods.unequal && even) {
    methods.placement = placement::Method::fastest;
  }
  return methods;
}

/// Of all subdomains.
std::size_t messages_of(const partition::Geometry& geometry) {
  std::size_t messages = 0;
  for (std::int64_t i = 0; i < geometry.partition.size(); ++i) {
    for (const partition::Flow& flow : partition::outgoing_flows(geometry, subdomain_id(i))) {
      if (flow.from != flow.to) ++messages;
    }
  }
  return messages;
}

/// A cut and its predicted time.
struct Predicted {
  partition::Geometry geometry;
  std::int64_t picoseconds = 0;
};

bool is_worth(std::int64_t other, std::int64_t exact) { return other <= exact - exact * percent_worth / 100; }

/// What `automatic` takes instead of the cut by `exact`: the fastest grid where that is worth it; or else, where x is not cut, one that has
/// fewer messages and takes no longer.
std::optional<Predicted> better_than(const Predicted& exact, const std::vector<Predicted>& all) {
  const auto& fastest = *std::ranges::min_element(all, {}, &Predicted::picoseconds);
  if (is_worth(fastest.picoseconds, exact.picoseconds)) return fastest;
  std::optional<Predicted> simplest;
  if (exact.geometry.partition.grid().x > 1) return simplest;
  std::size_t fewest = messages_of(exact.geometry);
  for (const Predicted& other : all) {
    if (other.geometry.partition.grid().x > 1) continue;
    if (other.picoseconds > exact.picoseconds + exact.picoseconds * percent_alike / 100) continue;
    const std::size_t messages = messages_of(other.geometry);
    if (messages >= fewest) continue;
    fewest = messages;
    simplest = other;
  }
  return simplest;
}

/// With rates of exchanges, all links equal.
void predict(Cut& cut, const PlanRequest& asked, partition::Request request, bool prefers_exact) {
  const model::Predictor predictor = predictor_of(asked);
  std::vector<Predicted> all;
  request.cost = [&](const partition::Partition& parts) {
    partition::Geometry geometry = geometry_of(asked, parts);
    const std::int64_t picoseconds = predictor.predict(geometry).picoseconds;
    if (prefers_exact) all.push_back({std::move(geometry), picoseconds});
    return picoseconds;
  };
  partition::Geometry fastest = geometry_of(asked, partition::make_partition(request));
  std::string instead;
  if (!prefers_exact) {
    cut.geometry = std::move(fastest);
  } else {
    const model::Prediction exact = predictor.predict(cut.geometry);
    if (auto better = better_than({cut.geometry, exact.picoseconds}, all)) {
      if (better->geometry.partition != fastest.partition) cut.partition = partition::Method::automatic;
      instead = is_worth(better->picoseconds, exact.picoseconds)
                    ? fmt::format("; {:.1f} us with the grid of exact", 1e6 * exact.seconds())
                    : "; as fast as the grid of exact, with fewer messages";
      cut.geometry = std::move(better->geometry);
    } else {
      cut.partition = partition::Method::exact;
    }
  }
  const model::Prediction prediction = predictor.predict(cut.geometry);
  cut.reason = fmt::format("predicted {:.1f} us an exchange, bound by {}{}{}", 1e6 * prediction.seconds(),
                           model::to_string(prediction.bound), instead, origin_of_rates(asked));
}

/// Partition and placement by simulated time. A placement that is searched with a grid belongs to it; weights belong to subdomains.
void judge(Cut& cut, const PlanRequest& asked, const partition::Request& request, bool grids) {
  if (grids && cut.placement == placement::Method::automatic && asked.weights.empty()) {
    cut.placement = placement::Method::fastest;
  }
  PlanRequest placed = asked;
  placed.placement.method = cut.placement;
  Joint joint =
      judge_together(placed, grids ? partition::candidate_partitions(request) : std::vector{cut.geometry.partition});
  if (grids) {
    partition::Request chosen = request;
    chosen.method = partition::Method::given;
    chosen.node_grid = joint.partition.node_grid();
    chosen.device_grid = joint.partition.device_grid();
    cut.geometry = geometry_of(asked, partition::make_partition(chosen));
    cut.reason = fmt::format("the fastest of {} by simulation",
                             joint.grids.size() == 1 ? "one grid" : fmt::format("{} grids", joint.grids.size()));
  }
  cut.judged = joint.judged;
  if (cut.placement == placement::Method::fastest) cut.slots = std::move(joint.slots);
}

/// What methods that know times make of a cut by `exact` or by a method without times.
void choose_by_time(Cut& cut, const PlanRequest& asked, partition::Request request, const Methods& methods) {
  const bool grids = methods.partition == partition::Method::fastest;
  const bool places = methods.placement == placement::Method::fastest;
  if (grids) request.method = partition::Method::fastest;
  const bool simulated = grids && simulates_grids(asked, methods.unequal);
  if (grids && !simulated) predict(cut, asked, request, methods.prefers_exact);
  if (!simulated && !places && !methods.unequal) return;
  if (const std::string why_not = why_not_judged(asked); !why_not.empty()) {
    if (simulated) cut.reason = fmt::format("the grid of exact, because {}", why_not);
    if (places) cut.placement = placement::Method::automatic;
    return;
  }
  judge(cut, asked, request, simulated);
}

/// Throws InvalidArgument where something does not fit. with_times: false to know only that.
Cut cut(const PlanRequest& asked, bool with_times) {
  partition::Request request = cut_of(asked);
  const Methods methods = with_times ? methods_for(asked) : Methods{method_of(asked), asked.placement.method};
  request.method = methods.partition;
  if (request.method == partition::Method::fastest || request.method == partition::Method::automatic) {
    request.method = partition::Method::exact;
  }
  Cut cut{.geometry = geometry_of(asked, partition::make_partition(request)),
          .reason = asked.cuts ? "the given cuts" : "",
          .partition = methods.partition,
          .placement = methods.placement,
          .slots = {},
          .judged = {},
          .moves = {}};
  if (with_times) choose_by_time(cut, asked, request, methods);
  partition::check_fits(cut.geometry);
  return cut;
}

/// Why subdomains may not change their nodes, whatever times are; empty where they may.
std::string why_not_moved(const PlanRequest& asked) {
  if (!asked.weights.empty() || speeds_differ(asked)) return "cells are cut in proportion to devices' speeds";
  const std::vector<node_id> nodes = placement::nodes_of(placement::slots_of(asked.machine));
  if (std::ranges::adjacent_find(nodes, std::ranges::not_equal_to{}) == nodes.end()) {
    return "all ranks are on one node";
  }
  if (std::ssize(nodes) > most_devices_moved) {
    return fmt::format("there are {} devices, more than {}", nodes.size(), most_devices_moved);
  }
  return why_not_judged(asked);
}

/// The cut's partition, and others that the request allows.
std::vector<partition::Partition> partitions_with(const Cut& cut, const PlanRequest& asked) {
  std::vector<partition::Partition> all{cut.geometry.partition};
  if (asked.partition != partition::Method::automatic && asked.partition != partition::Method::fastest) return all;
  if (asked.cuts) return all;
  for (partition::Partition& parts : partition::candidate_partitions(cut_of(asked))) {
    if (parts != all.front()) all.push_back(std::move(parts));
  }
  return all;
}

/// Moves subdomains between nodes, from where the other methods have placed them.
void place_on_system(Cut& cut, const PlanRequest& asked) {
  cut.moves = Moves{.why_not = why_not_moved(asked), .simulated = false, .before = {}, .now = 0};
  if (!cut.moves->why_not.empty()) return;
  if (!cut.slots) cut.slots = placement::make_placement(cut.geometry, asked.machine, asked.placement).slots;
  OnSystem found = halocline::place_on_system(asked, partitions_with(cut, asked), *cut.slots);
  cut.slots = std::move(found.slots);
  cut.moves = std::move(found.moves);
  if (!cut.moves->why_not.empty()) return;
  cut.placement = placement::Method::system;
  cut.judged.reset();  // of the placement before
  if (found.partition == cut.geometry.partition) return;
  cut.geometry = geometry_of(asked, std::move(found.partition));
  cut.partition = partition::Method::fastest;
  cut.reason = "chosen with the moves between nodes";
}

PlanRequest with_steps(PlanRequest request, int steps) {
  request.steps_per_exchange = steps;
  return request;
}

/// The largest number of steps per exchange, below the requested one, with which cut() does not throw; 0 if there is none.
int most_steps_that_fit(const PlanRequest& request) {
  int fits = 0;
  int too_large = request.steps_per_exchange;
  while (too_large - fits > 1) {
    const int between = fits + (too_large - fits) / 2;
    try {
      static_cast<void>(cut(with_steps(request, between), false));
      fits = between;
    } catch (const InvalidArgument&) {
      too_large = between;
    }
  }
  return fits;
}

}  // namespace

Cut cut_for_steps(const PlanRequest& request) {
  const int steps = request.steps_per_exchange;
  try {
    if (request.placement.method != placement::Method::system) return cut(request, true);
    PlanRequest without_moves = request;
    without_moves.placement.method = placement::Method::automatic;
    Cut found = cut(without_moves, true);
    place_on_system(found, without_moves);
    return found;
  } catch (const InvalidArgument& error) {
    if (steps <= 1) throw;
    const int fits = most_steps_that_fit(request);
    if (fits == 0) return cut(with_steps(request, 1), false);  // throws what is wrong without it
    throw InvalidArgument(
        fmt::format("steps_per_exchange is {}; allowed for this domain are 1 to {}: with halos for {} steps, {}", steps,
                    fits, steps, error.what()));
  }
}

partition::Request cut_of(const PlanRequest& request) {
  request.machine.check();
  check_fields(request.fields);
  MachineShape shape = shape_of(request.machine);
  if (shape.nodes == 0) {
    throw InvalidArgument("machine '" + request.machine.name +
                          "' has no ranks that drive devices; allowed are machines with at least one");
  }
  if (placement::gives_owners(request.placement)) shape = {1, shape.nodes * shape.devices_per_node};
  return {.extent = request.extent,
          .halo = widest_halo(request),
          .nodes = shape.nodes,
          .devices_per_node = shape.devices_per_node,
          .method = method_of(request),
          .ties = request.ties,
          .node_grid = request.node_grid,
          .device_grid = request.device_grid,
          .cuts = request.cuts,
          .boundaries = request.boundaries,
          .weights = request.weights};
}

partition::Geometry geometry_of(const PlanRequest& request, partition::Partition parts) {
  partition::Geometry geometry{std::move(parts), request.fields, request.stencil, request.boundaries,
                               request.steps_per_exchange};
  partition::check_size(geometry);
  return geometry;
}

}  // namespace halocline
