// SPDX-License-Identifier: BSD-3-Clause
// Measures exchange rates. The model decides what is exchanged, and what follows from the times.
#include "calibrate/calibrate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "comm/agree.hpp"
#include "core/median.hpp"
#include "core/serialise.hpp"
#include "halocline/domain.hpp"
#include "halocline/error.hpp"
#include "io/json.hpp"
#include "model/experiments.hpp"

namespace halocline {
namespace {

using machine::ExchangeRate;
using machine::MachineMap;
using model::Trial;

constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();
constexpr double run_seconds = 0.01;  ///< of one run, about
constexpr std::int64_t most_exchanges = 200;

/// The times of one node.
struct Trials {
  std::vector<Trial> trials;  ///< by kind; NaN if not measured
  std::string why_not;        ///< the first reason why one was not measured
};

/// One node on its own: what its ranks do together, over node_comm.
class Bench {
 public:
  Bench(comm::RankGroup& node, std::shared_ptr<device::Backend> backend, const MachineMap& map,
        const CalibrateRequest& request, node_id id)
      : node_(node), backend_(std::move(backend)), request_(request), begun_(Clock::steady().now()) {
    map_.name = map.name;
    map_.types = {map.type_of(id)};
    map_.nodes = {map.nodes[id.index()]};
    map_.nodes.front().type = 0;
    map_.network = map.network;
    for (const machine::RankEntry& rank : map.ranks) {
      if (rank.node == id) map_.ranks.push_back({node_id(0), rank.devices});
    }
    for (const machine::RankEntry& rank : map_.ranks) devices_ += static_cast<int>(rank.devices.size());
  }

  [[nodiscard]] int devices() const { return devices_; }

  [[nodiscard]] Trials run() {
    Trials all;
    for (const ExchangeRate& kind : model::kinds_to_measure(devices_)) {
      Trial trial{kind, not_measured, not_measured, not_measured};
      try {
        if (time_left()) {
          trial.least = least(kind);
          trial.small = seconds(kind, model::smaller_than(request_.bytes));
          trial.large = seconds(kind, request_.bytes);
        } else if (all.why_not.empty()) {
          all.why_not = fmt::format("{} seconds were over", request_.seconds);
        }
      } catch (const Error& error) {
        if (node_.poisoned()) throw;  // the communicator cannot be used any more
        trial.large = not_measured;
        if (all.why_not.empty()) all.why_not = error.what();
      }
      all.trials.push_back(trial);
    }
    return all;
  }

 private:
  [[nodiscard]] static double elapsed(Duration since) {
    return std::chrono::duration<double>(Clock::steady().now() - since).count();
  }
  [[nodiscard]] bool time_left() { return node_.all_reduce(elapsed(begun_), comm::Reduction::max) < request_.seconds; }

  /// For an exchange of almost no bytes: its rows make no difference, except for whether they go as LL packets.
  [[nodiscard]] double least(const ExchangeRate& kind) {
    const bool packets = kind.rows == machine::HaloRows::packets;
    const machine::HaloRows rows = packets ? machine::HaloRows::packets : machine::HaloRows::long_rows;
    const auto known = least_.find({kind.path, rows, kind.concurrent});
    if (known != least_.end()) return known->second;
    return least_[{kind.path, rows, kind.concurrent}] = seconds({kind.path, rows, kind.concurrent}, 0);
  }

  /// Returns the seconds of one exchange of a given number of bytes, back to back, on the slowest rank.
  [[nodiscard]] double seconds(const ExchangeRate& kind, std::int64_t bytes) {
    const model::Experiment made = model::experiment(kind, {bytes, request_.bytes}, devices_);
    DomainOptions options;
    options.devices.existing.emplace(backend_);
    options.machine.map = map_;
    options.partition.method = partition::Method::given;
    options.partition.device_grid = made.device_grid;
    options.tuning = made.tuning;
    options.timeout = node_.timeout();
    Domain domain(made.extent, made.stencil, node_, options);
    for (const FieldDescriptor& field : made.fields) domain.add_field(field);
    domain.realize();
    static_cast<void>(run_of(domain, 1));
    const double first = run_of(domain, 3);
    const auto count = std::clamp(static_cast<std::int64_t>(run_seconds / first), std::int64_t{5}, most_exchanges);
    std::vector<double> runs;
    for (int repeat = 0; repeat < request_.repeats; ++repeat) runs.push_back(run_of(domain, count));
    domain.close();
    return median(runs);
  }

  [[nodiscard]] double run_of(Domain& domain, std::int64_t exchanges) {
    node_.barrier();
    const Duration begin = Clock::steady().now();
    for (std::int64_t i = 0; i < exchanges; ++i) domain.exchange();
    domain.synchronize();
    return node_.all_reduce(elapsed(begin), comm::Reduction::max) / static_cast<double>(exchanges);
  }

  comm::RankGroup& node_;
  std::shared_ptr<device::Backend> backend_;
  CalibrateRequest request_;
  Duration begun_;
  MachineMap map_;  ///< of this node alone
  int devices_ = 0;
  std::map<std::tuple<machine::HaloPath, machine::HaloRows, bool>, double> least_;
};

/// The result that one node's ranks agree on, for rank 0.
struct NodeTrials {
  int devices = 0;
  Trials found;
};

auto members(MaybeConst<NodeTrials> auto& node) {
  return std::tie(node.devices, node.found.trials, node.found.why_not);
}

/// Entry by entry over nodes.
std::vector<ExchangeRate> medians(const std::vector<std::vector<ExchangeRate>>& nodes) {
  std::map<std::tuple<bool, machine::HaloPath, machine::HaloRows, int>, std::vector<ExchangeRate>> by_kind;
  for (const auto& rates : nodes) {
    for (const ExchangeRate& rate : rates) {
      by_kind[{rate.concurrent, rate.path, rate.rows, -rate.word_bytes}].push_back(rate);
    }
  }
  std::vector<ExchangeRate> all;
  for (const auto& [kind, rates] : by_kind) {
    const auto middle = [&](double ExchangeRate::*member) {
      std::vector<double> values;
      for (const ExchangeRate& rate : rates) values.push_back(rate.*member);
      return median(std::move(values));
    };
    all.push_back(rates.front());
    all.back().bandwidth = middle(&ExchangeRate::bandwidth);
    all.back().latency = middle(&ExchangeRate::latency);
    all.back().least = middle(&ExchangeRate::least);
  }
  return all;
}

/// On rank 0: returns the map with the results of its nodes; `nodes` by node.
MachineMap refined(MachineMap map, const std::map<node_id, NodeTrials>& nodes, const CalibrateRequest& request) {
  for (std::size_t t = 0; t < map.types.size(); ++t) {
    std::vector<std::vector<ExchangeRate>> rates;
    std::map<std::string, std::int64_t> left_out;
    for (const auto& [id, node] : nodes) {
      if (!std::cmp_equal(map.nodes[id.index()].type, t)) continue;
      std::vector<Trial> measured;
      for (const Trial& trial : node.found.trials) {
        if (!std::isnan(trial.large)) measured.push_back(trial);
      }
      if (measured.size() < node.found.trials.size()) {
        left_out[node.found.why_not] += std::ssize(node.found.trials) - std::ssize(measured);
      }
      if (node.devices < 2) ++left_out["links: the ranks drive one device of the node"];
      const model::Fitted fitted = model::fit(measured, request.bytes, node.devices);
      for (const auto& one : fitted.left_out) ++left_out[fmt::format("{}: {}", model::kind_text(one.kind), one.reason)];
      rates.push_back(fitted.rates);
    }
    map.types[t].exchange_rates = medians(rates);
    if (rates.empty()) continue;
    map.sources.push_back(fmt::format(
        "exchange rates of type {}: exchanges back to back of up to {} bytes a device, all devices at once, "
        "medians of {} on {} nodes",
        t, request.bytes, request.repeats, rates.size()));
    for (const auto& [why, count] : left_out) {
      map.sources.push_back(fmt::format("exchange rates not measured, {} times: {}", count, why));
    }
  }
  map.check();
  return map;
}

CalibrateRequest completed(CalibrateRequest request, const device::Backend& backend) {
  constexpr std::int64_t least_bytes = 1024;
  if (request.bytes != 0 && request.bytes < least_bytes) {
    throw InvalidArgument(fmt::format("bytes is {}; allowed is 0, or {} or more", request.bytes, least_bytes));
  }
  if (request.repeats < 1) throw InvalidArgument(fmt::format("repeats is {}; allowed is 1 or more", request.repeats));
  if (!std::isfinite(request.seconds) || request.seconds <= 0) {
    throw InvalidArgument(fmt::format("seconds is {}; allowed is a finite number above 0", request.seconds));
  }
  if (request.bytes == 0) request.bytes = std::int64_t{backend.kind() == DeviceKind::host ? 1 : 16} << 20;
  return request;
}

}  // namespace

MachineMap calibrate(comm::RankGroup& comm, comm::RankGroup& node_comm, std::shared_ptr<device::Backend> backend,
                     const MachineMap& map, const CalibrateRequest& given) {
  CalibrateRequest request;
  comm::agree_on(comm, [&] {
    request = completed(given, *backend);
    map.check();
    if (!std::cmp_equal(map.ranks.size(), comm.size())) {
      throw InvalidArgument(fmt::format("the map has {} ranks; allowed is a map of the {} ranks that measure it",
                                        map.ranks.size(), comm.size()));
    }
  });
  request.bytes = comm.all_reduce(request.bytes, comm::Reduction::min);
  const node_id id = map.ranks[comm.rank().index()].node;
  std::vector<std::byte> mine;
  comm::agree_on(comm, [&] {
    Bench bench(node_comm, std::move(backend), map, request, id);
    if (bench.devices() == 0) return;
    Trials found = bench.run();
    if (node_comm.rank() == rank_id(0)) mine = to_bytes(NodeTrials{bench.devices(), std::move(found)});
  });
  const auto parts = comm.all_gather(mine);
  std::vector<std::byte> document;
  comm::agree_on(comm, [&] {
    if (comm.rank() != rank_id(0)) return;
    std::map<node_id, NodeTrials> nodes;
    for (std::size_t r = 0; r < parts.size(); ++r) {
      if (!parts[r].empty()) nodes[map.ranks[r].node] = from_bytes<NodeTrials>(parts[r]);
    }
    document = to_bytes(io::to_json(refined(map, nodes, request)));
  });
  comm.broadcast(document, rank_id(0));
  return io::machine_from_json(from_bytes<std::string>(document));
}

}  // namespace halocline
