// SPDX-License-Identifier: BSD-3-Clause
// Measures what messages between nodes cost besides their bytes.
#include "calibrate/messages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "core/median.hpp"
#include "core/serialise.hpp"
#include "domain/internals.hpp"
#include "halocline/domain.hpp"
#include "halocline/error.hpp"
#include "io/json.hpp"
#include "model/message_costs.hpp"
#include "partition/strategy.hpp"
#include "plan/message_ranking.hpp"

namespace halocline {
namespace {

using routing::Messages;

/// Of a device's subdomain in each dimension: little but messages, and enough that bytes count.
constexpr std::int64_t few_cells = 16;
constexpr std::int64_t many_cells = 48;
/// Short runs, of which many see the same machine, and their median leaves out time slices that others took.
constexpr int exchanges = 20;
constexpr int runs_of_a_repeat = 4;
/// Of the simulation with fitted costs, beyond which it says nothing.
constexpr double most_error = 0.5;

double seconds_since(Duration begun) { return std::chrono::duration<double>(Clock::steady().now() - begun).count(); }

routing::Policy policy_of_trials() { return routing::Policy::parse("-mpi_device"); }

/// A domain whose exchanges are timed.
class Timed {
 public:
  Timed(comm::RankGroup& comm, const std::shared_ptr<device::Backend>& backend, const machine::MachineMap& map,
        Messages messages, std::int64_t cells)
      : comm_(comm),
        messages_(messages),
        domain_(extent(map, cells), Stencil::box(1), comm, options(backend, map, messages)) {
    static_cast<void>(domain_.add_field<double>("u"));
    domain_.realize();
    static_cast<void>(run());
  }

  void close() { domain_.close(); }
  void measure() { seconds_.push_back(run()); }
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
  static Vec3 extent(const machine::MachineMap& map, std::int64_t cells) {
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
  double run() {
    for (int i = 0; i < 3; ++i) domain_.exchange();
    comm_.barrier();
    const Duration begin = Clock::steady().now();
    for (int i = 0; i < exchanges; ++i) domain_.exchange();
    domain_.synchronize();
    return comm_.all_reduce(seconds_since(begin), comm::Reduction::max) / exchanges;
  }

  comm::RankGroup& comm_;
  Messages messages_;
  Domain domain_;
  std::vector<double> seconds_;
};

void set_costs(machine::MachineMap& map, std::span<const model::MessageTrial> trials, const CalibrateRequest& request) {
  const model::MessageCosts found = model::fit_message_costs(map.software, trials);
  if (found.largest_error > most_error) {
    map.sources.push_back(fmt::format("costs of messages left out: they explain exchanges only up to {:.0f} % off",
                                      100 * found.largest_error));
    return;
  }
  map.software = found.software;
  map.sources.push_back(fmt::format(
      "software.mpi_overhead, device_launch, mpi_latency and mpi_injection with one_core: fitted to {} exchanges "
      "between {} nodes, of {}^3 and {}^3 cells a device and with different numbers of messages, medians of {}; at "
      "most {:.0f} % off there",
      trials.size(), map.nodes.size(), few_cells, many_cells, runs_of_a_repeat * request.repeats,
      100 * found.largest_error));
  map.check();
}

}  // namespace

machine::MachineMap calibrate_messages(comm::RankGroup& comm, std::shared_ptr<device::Backend> backend,
                                       machine::MachineMap map, const CalibrateRequest& request) {
  if (map.nodes.size() < 2) return map;
  const Duration begun = Clock::steady().now();
  const bool host = backend->kind() == DeviceKind::host;
  std::vector<std::pair<Messages, std::int64_t>> ways{
      {Messages::by_direction, few_cells}, {Messages::by_neighbour, few_cells}, {Messages::by_neighbour, many_cells}};
  if (host) ways.insert(ways.end(), {{Messages::by_node, few_cells}, {Messages::by_node, many_cells}});
  std::vector<std::unique_ptr<Timed>> timed;
  for (const auto& [messages, cells] : ways) {
    try {
      timed.push_back(std::make_unique<Timed>(comm, backend, map, messages, cells));
    } catch (const Error& error) {  // the same on all ranks
      if (comm.poisoned()) throw;
      map.sources.push_back(fmt::format("messages {} not timed: {}", to_string(messages), error.what()));
    }
  }
  // In turns, so that all see the same machine.
  for (int run = 0; run < runs_of_a_repeat * request.repeats; ++run) {
    if (comm.all_reduce(seconds_since(begun), comm::Reduction::max) >= request.seconds) break;
    for (const auto& one : timed) one->measure();
  }
  std::vector<std::byte> document;
  comm::agree_on(comm, [&] {
    if (comm.rank() != rank_id(0)) return;
    std::vector<model::MessageTrial> trials;
    for (const auto& one : timed) {
      if (!one->seconds().empty()) trials.push_back(one->trial());
    }
    if (trials.empty()) {
      map.sources.push_back(fmt::format("costs of messages not measured: {} seconds were over", request.seconds));
    } else {
      set_costs(map, trials, request);
    }
    document = to_bytes(io::to_json(map));
  });
  comm.broadcast(document, rank_id(0));
  for (const auto& one : timed) one->close();
  return io::machine_from_json(from_bytes<std::string>(document));
}

}  // namespace halocline
