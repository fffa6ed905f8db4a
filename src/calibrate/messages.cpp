// SPDX-License-Identifier: BSD-3-Clause
// Measures what messages between nodes cost besides their bytes.
#include "calibrate/messages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "core/median.hpp"
#include "domain/internals.hpp"
#include "halocline/domain.hpp"
#include "halocline/error.hpp"
#include "model/message_costs.hpp"
#include "partition/strategy.hpp"
#include "plan/message_ranking.hpp"

namespace halocline {
namespace {

using routing::Messages;

constexpr std::int64_t cells = 16;  ///< of a device's subdomain in each dimension: little but messages

double seconds_since(Duration begun) { return std::chrono::duration<double>(Clock::steady().now() - begun).count(); }

routing::Policy policy_of_trials() { return routing::Policy::parse("-mpi_device"); }

/// A domain whose exchanges are timed.
class Timed {
 public:
  Timed(comm::RankGroup& comm, const std::shared_ptr<device::Backend>& backend, const machine::MachineMap& map,
        Messages messages)
      : comm_(comm), messages_(messages), domain_(extent(map), Stencil::box(1), comm, options(backend, map, messages)) {
    static_cast<void>(domain_.add_field<double>("u"));
    domain_.realize();
    static_cast<void>(run(1));
    exchanges_ = std::clamp(static_cast<std::int64_t>(0.05 / run(5)), std::int64_t{5}, std::int64_t{200});
  }

  void close() { domain_.close(); }
  void measure() { seconds_.push_back(run(exchanges_)); }
  [[nodiscard]] std::vector<double> seconds() const { return seconds_; }

  [[nodiscard]] model::MessageTrial trial() const {
    return {median(seconds_),
            [plan = internals(domain_).plan(), messages = messages_](const machine::Software& software) {
              Plan with = plan;
              with.machine.software = software;
              return predicted_exchange(with, policy_of_trials(), false, messages);
            }};
  }

 private:
  static Vec3 extent(const machine::MachineMap& map) {
    const std::int64_t devices = map.device_count();
    return partition::exact_node_grid(Vec3::filled(cells * devices), Stencil::box(1), devices) * Vec3::filled(cells);
  }
  static DomainOptions options(const std::shared_ptr<device::Backend>& backend, const machine::MachineMap& map,
                               Messages messages) {
    DomainOptions options;
    options.devices.existing.emplace(backend);
    options.machine.map = map;
    options.routing.policy = policy_of_trials();
    options.routing.messages = messages;
    return options;
  }

  /// Seconds of an exchange, back to back, on the slowest rank.
  double run(std::int64_t exchanges) {
    comm_.barrier();
    const Duration begin = Clock::steady().now();
    for (std::int64_t i = 0; i < exchanges; ++i) domain_.exchange();
    domain_.synchronize();
    return comm_.all_reduce(seconds_since(begin), comm::Reduction::max) / static_cast<double>(exchanges);
  }

  comm::RankGroup& comm_;
  Messages messages_;
  Domain domain_;
  std::int64_t exchanges_ = 1;
  std::vector<double> seconds_;
};

}  // namespace

machine::MachineMap calibrate_messages(comm::RankGroup& comm, std::shared_ptr<device::Backend> backend,
                                       machine::MachineMap map, const CalibrateRequest& request) {
  if (map.nodes.size() < 2) return map;
  const Duration begun = Clock::steady().now();
  const bool host = backend->kind() == DeviceKind::host;
  std::vector<Messages> ways{Messages::by_direction, Messages::by_neighbour};
  if (host) ways.push_back(Messages::by_node);
  std::vector<std::unique_ptr<Timed>> timed;
  for (const Messages messages : ways) {
    try {
      timed.push_back(std::make_unique<Timed>(comm, backend, map, messages));
    } catch (const Error& error) {  // the same on all ranks
      if (comm.poisoned()) throw;
      map.sources.push_back(fmt::format("messages {} not timed: {}", to_string(messages), error.what()));
    }
  }
  // In turns, so that all see the same machine.
  for (int repeat = 0; repeat < request.repeats; ++repeat) {
    if (comm.all_reduce(seconds_since(begun), comm::Reduction::max) >= request.seconds) break;
    for (const auto& one : timed) one->measure();
  }
  std::vector<model::MessageTrial> trials;
  for (const auto& one : timed) {
    if (!one->seconds().empty()) trials.push_back(one->trial());
  }
  if (!trials.empty()) {
    comm::agree_on(comm, [&] {
      const model::MessageCosts found = model::fit_message_costs(map.software, trials);
      map.software = found.software;
      map.sources.push_back(fmt::format(
          "software.mpi_overhead, device_launch and mpi_latency: fitted to exchanges of {}^3 cells a device between "
          "{} nodes, {} ways to consolidate messages, medians of {}; at most {:.0f} % off there",
          cells, map.nodes.size(), trials.size(), request.repeats, 100 * found.largest_error));
    });
  }
  for (const auto& one : timed) one->close();
  map.check();
  return map;
}

}  // namespace halocline
