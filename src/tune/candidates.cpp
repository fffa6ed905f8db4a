// SPDX-License-Identifier: BSD-3-Clause
#include "tune/candidates.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "halocline/error.hpp"
#include "model/simulate.hpp"
#include "routing/messages.hpp"

namespace halocline::tune {
namespace {

using routing::Messages;
using routing::Transport;

constexpr std::size_t most_grids = 12;
/// Beyond it neither simulations nor other grids fit into a budget of seconds.
constexpr std::int64_t most_devices = 256;
constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

std::string words_of(const Vec3& grid) { return fmt::format("{},{},{}", grid.x, grid.y, grid.z); }

class Search {
 public:
  explicit Search(const Situation& situation) : given_(&situation), request_(situation.request), plan_(situation.plan) {
    const auto devices = plan_->geometry.partition.size();
    if (devices <= most_devices) return;
    predicts_ = false;
    skip("predictions", fmt::format("of {} devices, more than {}", devices, most_devices));
  }

  CandidateList run() {
    found_.predicted = predicted(*plan_, request_->policy, given_->messages);
    add_transports();
    add_messages();
    add_grids();
    add_sizes();
    skip("overlap", "how a program orders kernels and exchanges; exchanges alone are timed");
    skip("multiprocessors", given_->gpus ? "exchanges alone occupy as many as help" : "host devices have none");
    // A stable order, so that settings that the model does not see stay as listed.
    std::ranges::stable_sort(found_.list, [](const Candidate& a, const Candidate& b) {
      constexpr double last = std::numeric_limits<double>::max();
      return a.predicted.value_or(last) < b.predicted.value_or(last);
    });
    return std::move(found_);
  }

 private:
  void skip(std::string what, std::string why) { found_.skipped.push_back({std::move(what), std::move(why)}); }
  static std::string named(std::string_view setting, std::string_view value) {
    return fmt::format("{}={}", setting, value);
  }
  void add(io::Settings settings, std::optional<double> predicted) {
    found_.list.push_back({std::move(settings), predicted});
  }

  std::optional<double> predicted(const Plan& plan, const routing::Policy& policy, Messages messages) const {
    if (!predicts_) return {};
    std::vector<routing::Route> routes;
    for (const RoutedMessage& message : assumed_routes(plan, policy, true)) routes.push_back(message.route);
    return model::simulate_exchange(plan.geometry, plan.placement, routes, machine_, messages).seconds;
  }

  struct Ends {
    const placement::Slot& from;
    const placement::Slot& to;
  };
  [[nodiscard]] Ends ends_of(const routing::Route& route) const {
    return {plan_->placement.of(route.from), plan_->placement.of(route.to)};
  }
  template <typename Test>
  [[nodiscard]] bool any_route(Test&& test) const {
    return std::ranges::any_of(given_->routes, [&](const RoutedMessage& m) { return test(m.route); });
  }
  [[nodiscard]] bool uses(Transport transport) const {
    return any_route([&](const routing::Route& route) { return route.transport == transport; });
  }

  /// Why no message can go by a transport, as far as it is known without a trial; empty if one may.
  [[nodiscard]] std::string impossible(Transport transport) const {
    const auto same_rank = [&](const routing::Route& r) {
      return r.from != r.to && ends_of(r).from.rank == ends_of(r).to.rank;
    };
    const auto may_map = [&](const routing::Route& r) {
      const auto& [from, to] = ends_of(r);
      return from.node == to.node || machine_.share_load_store(from.node, from.device, to.node, to.device);
    };
    switch (transport) {
      case Transport::peer_copy: return any_route(same_rank) ? "" : "no rank has two devices that are neighbours";
      case Transport::ipc_copy:
        return any_route([&](const auto& r) { return may_map(r) && ends_of(r).from.rank != ends_of(r).to.rank; })
                   ? ""
                   : "no two ranks of a node or a rack are neighbours";
      default: return any_route([](const auto& r) { return r.from != r.to; }) ? "" : "there is one subdomain";
    }
  }

  [[nodiscard]] bool chosen_by_measurements() const {
    return request_->policy.use_measurements &&
           std::ranges::any_of(machine_.types, [](const auto& type) { return !type.measurements.empty(); });
  }

  void add_transports() {
    for (const Transport transport : routing::all_transports) {
      if (transport == Transport::self) continue;
      const std::string what = named(first_setting, to_string(transport));
      const auto& order = request_->policy.order;
      const routing::Policy policy = preferring(request_->policy, transport);
      if (std::ranges::find(order, transport) == order.end()) {
        skip(what, "the options forbid it");
      } else if (const std::string why = impossible(transport); !why.empty()) {
        skip(what, why);
      } else if (!any_route([&](const auto& r) { return r.from != r.to && r.transport != transport; })) {
        skip(what, "it is the default's");
      } else if (policy.order == order && !chosen_by_measurements()) {
        skip(what, "it is first already");
      } else {
        add({{std::string(first_setting), std::string(to_string(transport))}},
            predicted(*plan_, policy, given_->messages));
        if (transport == Transport::mpi_staged) add_bundles(policy);
      }
    }
  }

  /// Why messages of that kind would be sent as the default's are; empty if some would not be.
  [[nodiscard]] std::string pointless(Messages messages, bool staged) const {
    const bool two_nodes = any_route([&](const auto& r) { return ends_of(r).from.node != ends_of(r).to.node; });
    switch (messages) {
      case Messages::by_direction:
        return any_route([](const auto& r) { return routing::moves_one_by_one(r.transport); })
                   ? ""
                   : "self and direct keep one message for each neighbour";
      case Messages::by_node:
        if (given_->gpus) return "it is for host devices";
        if (!two_nodes) return "there is one node";
        [[fallthrough]];
      case Messages::by_rank: return staged ? "" : "no message goes by mpi_staged";
      default: return "";
    }
  }

  void add_bundles(const routing::Policy& policy) {
    for (const Messages messages : {Messages::by_rank, Messages::by_node}) {
      if (messages == given_->messages || !pointless(messages, true).empty()) continue;
      add({{std::string(first_setting), std::string(to_string(Transport::mpi_staged))},
           {std::string(messages_setting), std::string(to_string(messages))}},
          predicted(*plan_, policy, messages));
    }
  }

  void add_messages() {
    const bool staged = uses(Transport::mpi_staged);
    for (const Messages messages : routing::fixed_messages) {
      if (messages == given_->messages) continue;
      const std::string why = pointless(messages, staged);
      if (!why.empty()) {
        skip(named(messages_setting, to_string(messages)), why);
        continue;
      }
      add({{std::string(messages_setting), std::string(to_string(messages))}},
          predicted(*plan_, request_->policy, messages));
    }
  }

  void add_grids() {
    if (!given_->may_cut) return skip("partition", "the options give the grid, cuts, weights or owners");
    if (!predicts_) return skip("partition", fmt::format("more than {} devices", most_devices));
    const partition::Partition& now = plan_->geometry.partition;
    std::size_t tried = 0;
    for (const halocline::Candidate& other : halocline::candidates(*request_).list) {
      const partition::Partition& parts = other.partition;
      if (parts.node_grid() == now.node_grid() && parts.device_grid() == now.device_grid()) continue;
      const io::Settings settings = settings_of_grid(parts);
      if (tried == most_grids) {
        skip(io::text_of(settings), fmt::format("the model has {} faster grids", most_grids));
        continue;
      }
      ++tried;
      PlanRequest request = *request_;
      request.partition = partition::Method::given;
      request.node_grid = parts.node_grid();
      request.device_grid = parts.device_grid();
      add(settings, predicted(make_plan(request), request.policy, given_->messages));
    }
  }

  /// The model has no times for these: the default's stands for them.
  void add_size(std::string_view setting, std::int64_t value, std::int64_t now) {
    if (value == now) return;
    add({{std::string(setting), fmt::format("{}", value)}}, found_.predicted);
  }

  void add_sizes() {
    std::int64_t longest = 0;
    for (const RoutedMessage& message : given_->routes) longest = std::max(longest, message.bytes);
    const exchange::Tuning& now = request_->tuning;
    const bool by_kernels = uses(Transport::direct);
    if (by_kernels) {
      // Off where the default packs some messages, and on where it does not pack all.
      if (longest >= now.pack_short_rows_from_bytes) {
        add_size(pack_rows_setting, std::numeric_limits<std::int64_t>::max(), now.pack_short_rows_from_bytes);
      }
      add_size(pack_rows_setting, 0, now.pack_short_rows_from_bytes);
    } else {
      skip(std::string(pack_rows_setting), "no message goes by direct");
    }
    const bool packets = by_kernels && given_->gpus && now.packets_at_most_bytes > 0;
    if (packets) add_size(packets_setting, 0, now.packets_at_most_bytes);
    if (!uses(Transport::mpi_staged)) return skip(std::string(chunk_setting), "no message goes by mpi_staged");
    if (longest <= mebibyte) {
      skip(std::string(chunk_setting), "no message is longer than 1 MiB");
    } else {
      for (const std::int64_t chunk : {mebibyte, 16 * mebibyte})
        add_size(chunk_setting, chunk, now.staging_chunk_bytes);
    }
    if (!given_->gpus) return skip(std::string(zero_copy_setting), "host devices have no copy engines");
    for (const std::int64_t most : {std::int64_t{0}, mebibyte})
      add_size(zero_copy_setting, most, now.zero_copy_at_most_bytes);
  }

  const Situation* given_;
  const PlanRequest* request_;
  const Plan* plan_;
  machine::MachineMap machine_ = model::as_measured(given_->plan->machine);
  bool predicts_ = true;
  CandidateList found_;
};

}  // namespace

routing::Policy preferring(routing::Policy policy, Transport transport) {
  std::erase(policy.order, transport);
  const auto first = std::ranges::find_if(policy.order, [](Transport t) { return t != Transport::self; });
  policy.order.insert(first, transport);
  policy.use_measurements = false;
  return policy;
}

io::Settings settings_of_grid(const partition::Partition& parts) {
  io::Settings settings{{std::string(device_grid_setting), words_of(parts.device_grid())}};
  if (parts.nodes() > 1) settings[std::string(node_grid_setting)] = words_of(parts.node_grid());
  return settings;
}

CandidateList candidates_of(const Situation& situation) { return Search(situation).run(); }

}  // namespace halocline::tune
