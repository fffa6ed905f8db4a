// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "halocline/error.hpp"
#include "machine/names.hpp"
#include "partition/node_kinds.hpp"

namespace halocline::model {
namespace {

using machine::ExchangeRate;
using machine::HaloPath;
using machine::HaloRows;

__extension__ typedef __int128 Int128;

constexpr Int128 atto_per_pico = 1'000'000;

/// Whole numbers from here on: one rounding of a double that is the same on all ranks.
std::int64_t scaled(double seconds, double unit) { return std::llround(std::min(seconds * unit, 9e18)); }

std::int64_t picoseconds_of(Int128 attoseconds) {
  return static_cast<std::int64_t>(std::min(attoseconds / atto_per_pico, Int128{INT64_MAX / 4}));
}

/// Of one node, as ranks drive them: two may share one.
std::int64_t most_devices(const machine::MachineMap& map) {
  std::vector<std::int64_t> driven(map.nodes.size());
  for (const machine::RankEntry& rank : map.ranks) driven.at(rank.node.index()) += std::ssize(rank.devices);
  std::int64_t most = 0;
  for (std::size_t n = 0; n < map.nodes.size(); ++n) {
    most = std::max({most, driven[n], std::int64_t{map.devices_of(node_id(static_cast<std::int64_t>(n)))}});
  }
  return most;
}

}  // namespace

std::string_view to_string(Bound bound) {
  switch (bound) {
    case Bound::least: return "least";
    case Bound::local: return "local";
    case Bound::link: return "link";
    case Bound::network: return "network";
  }
  throw InternalError("a Bound without a name");
}

Predictor::Predictor(const machine::MachineMap& map, const exchange::Tuning& tuning)
    : tuning_(tuning), network_(map.network) {
  const std::int64_t devices = most_devices(map);
  for (std::size_t t = 0; t < map.types.size(); ++t) {
    const auto is_of_it = [t](const machine::NodeEntry& node) { return std::cmp_equal(node.type, t); };
    if (std::none_of(map.nodes.begin(), map.nodes.end(), is_of_it)) continue;
    for (const ExchangeRate& rate : map.types[t].exchange_rates) {
      Cost& cost = costs_[{rate.path, rate.rows, rate.concurrent}][rate.word_bytes];
      cost.attoseconds_per_byte = std::max(cost.attoseconds_per_byte, scaled(1 / rate.bandwidth, 1e18));
      cost.latency = std::max(cost.latency, scaled(rate.latency, 1e12));
      cost.least = std::max(cost.least, scaled(rate.least, 1e12));
    }
  }
  // Maps of before there were packets: small messages took as long as these rates say then.
  const auto is_of_packets = [](const auto& cost) { return cost.first.rows == HaloRows::packets; };
  if (std::ranges::none_of(costs_, is_of_packets)) tuning_.packets_at_most_bytes = 0;
  if (costs_.empty()) {
    why_not_ = fmt::format("machine '{}' has no exchange rates; 'halocline machine --measure' finds them", map.name);
    return;
  }
  for (const HaloPath path : machine::all_halo_paths) {
    if (path == HaloPath::link && devices < 2) continue;
    for (const HaloRows rows : {HaloRows::long_rows, HaloRows::short_rows}) {
      if (find({path, rows, false}) != nullptr) continue;
      why_not_ = fmt::format("machine '{}' has no exchange rate for {}, {} rows", map.name, machine::to_string(path),
                             machine::to_string(rows));
      return;
    }
  }
}

/// That of the kind, or else of the nearest one that is there.
const Predictor::Words* Predictor::find(Kind kind) const {
  for (const bool concurrent : {kind.concurrent, !kind.concurrent}) {
    const auto found = costs_.find({kind.path, kind.rows, concurrent});
    if (found != costs_.end()) return &found->second;
  }
  if (kind.rows == HaloRows::packed_rows) return find({kind.path, HaloRows::short_rows, kind.concurrent});
  if (kind.rows == HaloRows::packets) return find({kind.path, HaloRows::long_rows, kind.concurrent});
  return nullptr;
}

/// Of a word that was not measured: seconds a byte are a + b / word, through the narrowest and the widest one measured.
Predictor::Cost Predictor::cost(const Kind& kind, int word) const {
  const Words* const found_words = find(kind);
  if (found_words == nullptr) throw InternalError("a domain moves cells that its machine map has no rate for");
  const Words& words = *found_words;
  if (const auto found = words.find(word); found != words.end()) return found->second;
  const auto& [narrow, slow] = *words.begin();
  const auto& [wide, fast] = *words.rbegin();
  Cost cost = fast;
  if (narrow == wide) return cost;
  const Int128 more = std::max<Int128>(slow.attoseconds_per_byte - fast.attoseconds_per_byte, 0);
  const Int128 part = std::max(16 / word - 16 / wide, 0);
  const Int128 atto = cost.attoseconds_per_byte + more * part / (16 / narrow - 16 / wide);
  cost.attoseconds_per_byte = static_cast<std::int64_t>(std::min(atto, Int128{INT64_MAX}));
  return cost;
}

Predictor::Time Predictor::time(HaloPath path, bool concurrent, const Load::Bytes& bytes) const {
  Time time;
  Int128 unpacked = 0;
  Int128 moved = 0;
  Int128 longest = -1;
  for (const auto& [key, count] : bytes) {
    const Cost of = cost({path, key.first, concurrent}, key.second);
    const Int128 busy = Int128{count} * of.attoseconds_per_byte;
    (key.first == HaloRows::packed_rows ? unpacked : moved) += busy;
    if (busy > longest) {
      longest = busy;
      time.latency = of.latency;
    }
    time.least = std::max(time.least, of.least);
  }
  // Packed cells cross a link as long rows do, and are unpacked while others cross it.
  if (bytes.packed_cells > 0) {
    moved +=
        Int128{bytes.packed_cells} * cost({path, HaloRows::long_rows, concurrent}, widest_word).attoseconds_per_byte;
  }
  time.busy = picoseconds_of(std::max(unpacked, moved));
  return time;
}

/// How long memory takes for rows that cross links, as for those that it copies itself.
std::int64_t Predictor::in_memory(const Load::Bytes& bytes) const {
  Int128 busy = 0;
  for (const auto& [key, count] : bytes) {
    const bool is_short = key.first == HaloRows::packed_rows || key.first == HaloRows::short_rows;
    const HaloRows rows = is_short ? HaloRows::short_rows : HaloRows::long_rows;
    busy += Int128{count} * cost({HaloPath::local, rows, true}, widest_word).attoseconds_per_byte;
  }
  return picoseconds_of(busy);
}

std::int64_t Predictor::network_time(std::int64_t bytes) const {
  if (bytes == 0) return 0;
  return scaled(network_.latency, 1e12) + picoseconds_of(Int128{bytes} * scaled(1 / network_.bandwidth, 1e18));
}

void Predictor::check() const {
  if (!why_not_.empty()) throw InvalidArgument(why_not_ + "; allowed is a machine with all of them");
}

Predictor::Share Predictor::share(HaloPath path, bool concurrent, const Load::Bytes& bytes) const {
  check();
  constexpr double pico = 1e-12;
  const Time taken = time(path, concurrent, bytes);
  return {pico * static_cast<double>(taken.busy), pico * static_cast<double>(taken.latency),
          pico * static_cast<double>(taken.least)};
}

Prediction Predictor::predict(const Load& load) const {
  check();
  const bool both = !load.local.empty() && !(load.out.empty() && load.in.empty());
  Time local = time(HaloPath::local, both, load.local);
  const Time out = time(HaloPath::link, both, load.out);
  const Time in = time(HaloPath::link, both, load.in);
  // Memory is read by what is sent, and written by what arrives.
  if (both) local.busy += std::max(in_memory(load.out), in_memory(load.in));
  Prediction found{std::max({local.least, out.least, in.least}), Bound::least};
  if (local.picoseconds() > found.picoseconds) found = {local.picoseconds(), Bound::local};
  const std::int64_t link = std::max(out.picoseconds(), in.picoseconds());
  if (link > found.picoseconds) found = {link, Bound::link};
  return found;
}

Prediction Predictor::predict(const partition::Geometry& geometry) const {
  Prediction slowest;
  const std::int64_t devices = geometry.partition.devices_per_node();
  const partition::NodeKinds kinds(geometry);
  for (const auto& [node_part, count] : kinds.all()) {
    std::int64_t out = 0;
    std::int64_t in = 0;
    for (std::int64_t s = node_part * devices; s < (node_part + 1) * devices; ++s) {
      const Load load = load_of(geometry, subdomain_id(s), tuning_);
      const Prediction device = predict(load);
      if (device.picoseconds > slowest.picoseconds) slowest = device;
      out += load.network_out;
      in += load.network_in;
    }
    const std::int64_t network = network_time(std::max(out, in));
    if (network > slowest.picoseconds) slowest = {network, Bound::network};
  }
  return slowest;
}

Traffic traffic_of(const partition::Geometry& geometry) {
  Traffic traffic;
  const std::int64_t devices = geometry.partition.devices_per_node();
  const partition::NodeKinds kinds(geometry);
  for (const auto& [node_part, count] : kinds.all()) {
    for (std::int64_t s = node_part * devices; s < (node_part + 1) * devices; ++s) {
      const Load load = load_of(geometry, subdomain_id(s), {});
      traffic.most_sent = std::max(traffic.most_sent, load.sent);
      traffic.off_node += load.network_out * count;
    }
  }
  return traffic;
}

Traffic traffic_of(const partition::Geometry& geometry, std::span<const node_id> nodes) {
  Traffic traffic;
  for (std::size_t s = 0; s < nodes.size(); ++s) {
    std::int64_t sent = 0;
    for (const partition::Flow& flow :
         partition::outgoing_flows(geometry, subdomain_id(static_cast<std::int64_t>(s)))) {
      if (flow.to == flow.from) continue;
      sent += flow.bytes;
      if (nodes[flow.to.index()] != nodes[s]) traffic.off_node += flow.bytes_once;
    }
    traffic.most_sent = std::max(traffic.most_sent, sent);
  }
  return traffic;
}

}  // namespace halocline::model
