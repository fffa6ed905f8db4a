// SPDX-License-Identifier: BSD-3-Clause
#include "study/study.hpp"
#include "domain/internals.hpp"

#include <fmt/core.h>

#include "study/ladder.hpp"

namespace halocline::bench {

DomainOptions common_options(const Environment& environment, const StudyOptions& options) {
  DomainOptions domain = DomainOptions::from(environment);
  if (options.devices_per_rank) domain.devices.per_rank = *options.devices_per_rank;
  if (options.ranks_per_node) domain.machine.ranks_per_node = options.ranks_per_node;
  domain.tuning.domains_at_once = 1;  // they take turns
  return domain;
}

Launch find_launch(comm::RankGroup& world, const Environment& environment, const StudyOptions& options) {
  // Planned, never realised: no memory is allocated for it.
  Domain domain(Vec3::filled(4096), Stencil::box(1), world, common_options(environment, options));
  (void)domain.add_field<float>("u");
  Launch launch;
  launch.machine = internals(domain).plan().machine;
  const auto slots = placement::slots_of(launch.machine);
  launch.devices = std::ssize(slots);
  launch.shape.nodes = std::ssize(launch.machine.nodes);
  launch.shape.ranks_per_node = world.size() / launch.shape.nodes;
  launch.shape.gpus_per_node = launch.devices / launch.shape.nodes;
  const auto& backend = internals(domain).backend();
  launch.device = fmt::format("{} ({})", to_string(backend.kind()), backend.info(0).name);
  domain.close();
  return launch;
}

std::vector<bool> bases(const StudyContext& context) {
  const std::string& base = context.options.base;
  if (base == "staged") return {false};
  DomainOptions options = common_options(context.environment, context.options);
  options.routing.policy = ladder(true).front().policy;
  Domain domain(Vec3::filled(16 * context.launch.devices), Stencil::box(1), context.world, options);
  (void)domain.add_field<float>("u");
  domain.realize();
  std::int64_t by_device = 0;
  std::string why = "there is only one rank";
  for (const auto& message : internals(domain).gather_routes()) {
    if (message.route.transport == routing::Transport::mpi_device) ++by_device;
    if (message.route.transport == routing::Transport::mpi_staged) why = message.route.reason;
  }
  domain.close();
  if (by_device > 0) return base == "ca" ? std::vector<bool>{true} : std::vector<bool>{false, true};
  if (base != "auto") {
    throw CapabilityError(
        fmt::format("--base is {}, but no message goes by MPI on device pointers here ({}); allowed "
                    "are staged and auto",
                    base, why));
  }
  if (context.world.rank().value() == 0) fmt::print("the CUDA-aware base is left out: {}\n", why);
  return {false};
}

}  // namespace halocline::bench
