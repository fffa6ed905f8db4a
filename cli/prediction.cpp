// SPDX-License-Identifier: BSD-3-Clause
#include "prediction.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "halocline/error.hpp"
#include "machine/keep_devices.hpp"
#include "machine/paths.hpp"
#include "overlap/steps.hpp"
#include "partition/weak_extent.hpp"
#include "planning.hpp"

namespace cli {

using namespace halocline;

namespace {

/// Of one exchange. beta: of a step with so many, each before an update.
void set_rate(model::ClosedFormRate& rate, int exchanges, const std::optional<double>& beta,
              const std::optional<double>& latency, std::int64_t neighbours) {
  if (beta) rate.seconds_per_cell = *beta / exchanges;
  rate.latency = latency.value_or(rate.latency);
  rate.concurrent = neighbours;
}

/// Of one exchange.
model::ClosedForm closed_form(const Plan& plan, const PredictFlags& flags) {
  model::ClosedFormConstants constants = constants_of(plan);
  const int exchanges = flags.kernel.exchanges;
  set_rate(constants.between_nodes, exchanges, flags.beta_between_nodes, flags.latency, flags.neighbours);
  set_rate(constants.within_node, exchanges, flags.beta_within_node, flags.latency_within, flags.neighbours);
  const model::ClosedFormCase even = even_case_of(plan);
  return flags.level_of_nodes ? closed_form_of_node(even, constants) : closed_form_of_device(even, constants);
}

/// Cells that a subdomain updates from one exchange to the next.
struct Cycle {
  double owned = 0;  ///< of each update
  double inner = 0;  ///< of these, the ones that read no halo
  double first = 0;  ///< of the update that begins with the exchange
  double later = 0;  ///< of all others
};

Cycle cycle_of(const Plan& plan, const Box& owned) {
  const partition::Geometry& geometry = plan.geometry;
  const Stencil widest = geometry.beyond_box(partition::widest_stencil(geometry.fields, geometry.stencil));
  std::array<bool, 3> open{};
  for (std::size_t dim = 0; dim < 3; ++dim) open[dim] = geometry.boundaries[dim] == Boundary::open;
  Cycle cycle{.owned = static_cast<double>(owned.volume())};
  cycle.inner = cycle.owned * (1 - model::outer_share(owned.extent(), widest.lower(), widest.upper()));
  for (int update = 0; update < plan.steps_per_exchange; ++update) {
    const Box box = overlap::update_box(owned, widest, plan.steps_per_exchange, update,
                                        Box::of_extent(geometry.partition.extent()), open);
    (update == 0 ? cycle.first : cycle.later) += static_cast<double>(box.volume());
  }
  return cycle;
}

/// Of the subdomain that updates the most cells.
Cycle longest_cycle(const Plan& plan) {
  Cycle longest;
  for (std::int64_t s = 0; s < plan.geometry.partition.size(); ++s) {
    const Cycle cycle = cycle_of(plan, plan.geometry.partition.box_of(subdomain_id(s)));
    if (cycle.first + cycle.later > longest.first + longest.later) longest = cycle;
  }
  return longest;
}

/// As the papers plan, which know no shared links; searches by time take long where there are many cases.
void plan_as_papers_do(PlanRequest& request) {
  if (request.partition == partition::Method::automatic) request.partition = partition::Method::exact;
  if (request.placement.method == placement::Method::automatic) {
    const bool few = request.machine.devices_of(node_id(0)) <= 8;
    request.placement.method = few ? placement::Method::exact : placement::Method::craft;
  }
}

/// 1, 2, 4, ... and the number itself.
std::vector<std::int64_t> doubled_up_to(std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (std::int64_t n = 1; n < most; n *= 2) counts.push_back(n);
  counts.push_back(most);
  return counts;
}

}  // namespace

double seconds_per_update(const PredictFlags& flags, const machine::MachineMap& map) {
  if (flags.seconds_per_update) return *flags.seconds_per_update;
  if (flags.kernel.cost.bytes == 0 && flags.kernel.cost.flops == 0) {
    refuse_without(fmt::format("--kernel {}", flags.kernel.name), "--bytes-per-cell, --flops-per-cell or --pi");
  }
  double slowest = 0;
  for (const machine::NodeType& type : map.types) {
    for (int d = 0; d < type.device_count(); ++d) {
      const double memory = best_path(type, device_id(d), device_id(d)).bandwidth;
      const bool known = std::isfinite(memory);
      if (!known && !(flags.flop_rate && flags.kernel.cost.flops > 0)) {
        throw InvalidArgument(fmt::format(
            "device {} of '{}' has no memory link in the machine map; allowed, without one, is --pi", d, type.name));
      }
      slowest = std::max(
          slowest, model::seconds_per_update(flags.kernel.cost, {known ? memory : 0, flags.flop_rate.value_or(0)}));
    }
  }
  return slowest;
}

std::vector<PredictCase> predict_cases(const PredictFlags& flags, const machine::MachineMap& map) {
  const std::int64_t devices = map.devices_of(node_id(0));
  std::vector<PredictCase> cases;
  for (const std::int64_t side : flags.sizes) {
    const auto add = [&](std::int64_t nodes, std::int64_t each) {
      const Vec3 cube = Vec3::filled(side);
      cases.push_back({nodes, each, flags.study == "weak" ? partition::weak_extent(cube, nodes * each) : cube});
    };
    for (const std::int64_t each : doubled_up_to(devices)) add(1, each);
    for (const std::int64_t nodes : doubled_up_to(std::ssize(map.nodes))) {
      if (nodes > 1) add(nodes, devices);
    }
  }
  return cases;
}

PredictedRow predict_case(PlanRequest request, const PredictFlags& flags, const PredictCase& of) {
  keep_nodes(request.machine, of.nodes);
  const bool fewer = of.devices_per_node < request.machine.devices_of(node_id(0));
  if (fewer) machine::keep_devices(request.machine, of.devices_per_node);
  request.extent = of.extent;
  if (!flags.study.empty()) plan_as_papers_do(request);
  const Plan plan = make_plan(request);
  const routing::Messages messages = flags.messages == routing::Messages::automatic
                                         ? ranking_of(plan, request.policy, request.device_mpi).chosen
                                         : flags.messages;
  const auto routes = assumed_routes(plan, request.policy, request.device_mpi, {}, messages);
  const model::Simulated time = simulated(plan, routes, messages);
  const model::ClosedForm form = closed_form(plan, flags);
  const Cycle cycle = longest_cycle(plan);
  const double update = seconds_per_update(flags, plan.machine) / flags.kernel.exchanges;
  const double cycles = static_cast<double>(flags.kernel.exchanges) / plan.steps_per_exchange;  // of a step

  PredictedRow row{of, plan.geometry.partition.grid(), 0, 0, {}, {}, slowest_of(time), messages};
  row.work = flags.kernel.exchanges * update * cycle.owned;
  row.shell = cycles * update * (cycle.first + cycle.later) - row.work;
  row.closed.exchange = cycles * std::max(form.between_nodes, form.within_node);
  row.simulated.exchange = cycles * time.seconds;
  // Later updates have no exchange to be concurrent with.
  const double first = cycles * update * cycle.first;
  const double serial = flags.serial + cycles * update * cycle.later;
  for (PredictedStep* step : {&row.closed, &row.simulated}) {
    step->times = model::step_times({first, 1 - cycle.inner / cycle.first, step->exchange, serial});
  }
  return row;
}

}  // namespace cli
