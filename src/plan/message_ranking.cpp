// SPDX-License-Identifier: BSD-3-Clause
#include "plan/message_ranking.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "model/simulate.hpp"
#include "plan/detail/node_messages.hpp"
#include "routing/messages.hpp"

namespace halocline {
namespace {

/// The node with the most messages to other nodes; of equals the first.
node_id busiest_node(const Plan& plan) {
  std::vector<std::int64_t> messages(plan.machine.nodes.size(), 0);
  for (std::int64_t s = 0; s < plan.geometry.partition.size(); ++s) {
    const node_id here = plan.placement.of(subdomain_id(s)).node;
    for (const auto& flow : partition::outgoing_flows(plan.geometry, subdomain_id(s))) {
      messages[here.index()] += plan.placement.of(flow.to).node == here ? 0 : 1;
    }
  }
  return node_id(std::ranges::max_element(messages) - messages.begin());
}

/// The times of a plan's exchanges on a map.
class Predictions {
 public:
  Predictions(const Plan& plan, const routing::Policy& policy, bool device_mpi)
      : plan_(plan), map_(model::as_measured(plan.machine)), interconnect_(map_) {
    for (RoutedMessage& one : messages_of_node(plan, policy, device_mpi, busiest_node(plan))) {
      routes_.push_back(std::move(one.route));
    }
  }

  [[nodiscard]] double seconds(routing::Messages messages) const {
    return model::simulate_exchange(plan_.geometry, plan_.placement, routes_, map_, interconnect_, messages).seconds;
  }

 private:
  const Plan& plan_;
  machine::MachineMap map_;
  machine::Interconnect interconnect_;
  std::vector<routing::Route> routes_;
};

std::string time_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.3g} us", 1e6 * seconds) : fmt::format("{:.3g} ms", 1e3 * seconds);
}

}  // namespace

double predicted_exchange(const Plan& plan, const routing::Policy& policy, bool device_mpi,
                          routing::Messages messages) {
  return Predictions(plan, policy, device_mpi).seconds(messages);
}

MessageRanking rank_messages(const Plan& plan, const routing::Policy& policy, const MessageFreedom& freedom) {
  MessageRanking ranking;
  const machine::Software& known = plan.machine.software;
  if (known.mpi_overhead == 0 && known.mpi_latency == 0 && known.device_launch == 0) {
    ranking.why_not =
        "the machine map has no times of messages (software.mpi_overhead, mpi_latency, device_launch), which "
        "'halocline machine --measure' measures where there are several nodes";
    return ranking;
  }
  const Predictions predictions(plan, policy, freedom.device_mpi);
  for (const routing::Messages messages : routing::fixed_messages) {
    if (messages == routing::Messages::by_node && !freedom.by_node) continue;
    ranking.candidates.push_back({messages, predictions.seconds(messages)});
  }
  const double by_neighbour = ranking.candidates.front().seconds;
  std::ranges::stable_sort(ranking.candidates, {}, &MessageRanking::Candidate::seconds);
  const auto& fastest = ranking.candidates.front();
  if (fastest.seconds * MessageRanking::least_gain <= by_neighbour) ranking.chosen = fastest.messages;
  return ranking;
}

std::string explain_messages(const MessageRanking& ranking) {
  std::string text = fmt::format("messages   {}: ", to_string(ranking.chosen));
  if (!ranking.why_not.empty()) return text + ranking.why_not + "\n";
  text += "predicted for an exchange";
  for (std::size_t i = 0; i < ranking.candidates.size(); ++i) {
    const auto& [messages, seconds] = ranking.candidates[i];
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", to_string(messages), time_text(seconds));
  }
  return text + fmt::format("; another than by_neighbour is chosen where that is {} times as fast\n",
                            MessageRanking::least_gain);
}

}  // namespace halocline
