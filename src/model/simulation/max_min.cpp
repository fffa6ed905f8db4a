// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "core/at.hpp"
#include "model/simulation/fair_shares.hpp"
#include "model/simulation/network.hpp"

namespace halocline::model::simulation {
namespace {

/// Parts of a moment that rounding alone tells apart are one moment.
constexpr double same_moment = 1e-12;
constexpr double never = std::numeric_limits<double>::infinity();

/// What the busiest link needs for its flows alone; 0 where there is no link.
double busiest_seconds(std::span<const double> bandwidths, std::span<const LinkFlow> flows) {
  std::vector<double> busy(bandwidths.size());
  for (const LinkFlow& flow : flows) {
    for (std::size_t l = 0; l < flow.links.size(); ++l) {
      const auto link = static_cast<std::size_t>(flow.links[l]);
      busy[link] += flow.weight(l) * static_cast<double>(flow.bytes) / bandwidths[link];
    }
  }
  return busy.empty() ? 0 : *std::ranges::max_element(busy);
}

/// Each moment fills rates again, and where cores are shared all of a machine's are in reach. So moments of very many flows are rounded:
/// to a part of what the busiest link needs for its flows alone.
double resolution_of(std::span<const double> bandwidths, std::span<const LinkFlow> flows) {
  constexpr std::size_t many = 20'000;
  constexpr std::size_t very_many = 100'000;
  if (flows.size() < many) return 0;
  return (flows.size() < very_many ? 1e-5 : 1e-4) * busiest_seconds(bandwidths, flows);
}

/// Flows by what they take of which links: all equal, one bundle. -1: nothing to wait for on any link.
struct Bundles {
  explicit Bundles(std::span<const LinkFlow> flows) {
    std::map<std::vector<FairShares::Part>, int> known;
    for (const LinkFlow& flow : flows) {
      if (flow.links.empty() || flow.bytes == 0) {
        of.push_back(-1);
        continue;
      }
      std::vector<FairShares::Part> parts;
      for (std::size_t l = 0; l < flow.links.size(); ++l) parts.push_back({flow.links[l], flow.weight(l)});
      const auto [found, is_new] = known.try_emplace(parts, static_cast<int>(links.size()));
      if (is_new) links.push_back(std::move(parts));
      of.push_back(found->second);
    }
  }
  std::vector<int> of;
  std::vector<std::vector<FairShares::Part>> links;
};

/// What the flows of a bundle have in common: all have the same rate, so each has got the same bytes since it joined, and the one
/// that ends next is the one that joined with the least sum of bytes served before and bytes of its own.
struct Served {
  using Ending = std::pair<double, int>;  ///< bytes served when it ends, flow
  double bytes = 0;                       ///< to each flow, since there was none
  double since = 0;                       ///< the moment that `bytes` is of
  double rate = 0;
  double look = never;  ///< when an end is looked for; never after the next one
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> ends;

  void advance(double now) {
    bytes += rate * (now - since);
    since = now;
  }
  [[nodiscard]] double next_end() const { return since + std::max(0.0, ends.top().first - bytes) / rate; }
};

/// The flows' life in time: latency, bytes at the rate of the moment, end, and those that waited for it.
class Timeline {
 public:
  Timeline(std::span<const double> bandwidths, std::span<const LinkFlow> flows)
      : flows_(flows),
        bundles_(flows),
        shares_(bandwidths, bundles_.links),
        resolution_(resolution_of(bandwidths, flows)),
        served_(bundles_.links.size()),
        ends_(flows.size()),
        next_(flows.size()),
        waits_(flows.size()) {
    for (std::size_t f = 0; f < flows.size(); ++f) {
      waits_[f] = flows[f].after.size();
      for (const int before : flows[f].after) next_[at(before)].push_back(static_cast<int>(f));
    }
  }

  std::vector<double> run() {
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      if (waits_[f] == 0) wait(static_cast<int>(f), 0);
    }
    while (!events_.empty()) {
      const double last = events_.top().time * (1 + same_moment) + resolution_;
      while (!events_.empty() && events_.top().time <= last) step();
      take_rates();
    }
    return std::move(ends_);
  }

 private:
  enum class Kind : int { look, begin };
  struct Event {
    double time;
    Kind kind;
    int subject;  ///< flow that begins, or bundle that is looked at, as one of its flows may end
    bool operator>(const Event& other) const {
      return std::tie(time, kind, subject) > std::tie(other.time, other.kind, other.subject);
    }
  };

  void step() {
    const Event event = events_.top();
    events_.pop();
    now_ = std::max(now_, event.time);
    if (event.kind == Kind::begin) {
      begin(event.subject);
    } else if (event.time == served_[at(event.subject)].look) {
      end_some(event.subject);
    }
  }

  void wait(int flow, double now) { events_.push({now + flows_[at(flow)].latency, Kind::begin, flow}); }

  void begin(int flow) {
    const int bundle = bundles_.of[at(flow)];
    if (bundle < 0) {
      end(flow);
      return;
    }
    Served& served = served_[at(bundle)];
    served.advance(now_);
    if (served.ends.empty()) served.bytes = 0;
    served.ends.emplace(served.bytes + static_cast<double>(flows_[at(flow)].bytes), flow);
    shares_.change(bundle, 1);
    changed_ = true;
  }

  void end_some(int bundle) {
    Served& served = served_[at(bundle)];
    served.look = never;
    served.advance(now_);
    while (!served.ends.empty() && served.next_end() <= now_ * (1 + same_moment)) {
      const int flow = served.ends.top().second;
      served.ends.pop();
      shares_.change(bundle, -1);
      changed_ = true;
      end(flow);
    }
    if (served.ends.empty()) served.rate = 0;
    foretell(bundle);
  }

  void end(int flow) {
    ends_[at(flow)] = now_;
    for (const int next : next_[at(flow)]) {
      if (--waits_[at(next)] == 0) wait(next, now_);
    }
  }

  void take_rates() {
    if (!changed_) return;
    changed_ = false;
    for (const int bundle : shares_.update()) {
      Served& served = served_[at(bundle)];
      served.advance(now_);
      served.rate = shares_.rate(bundle);
      foretell(bundle);
    }
  }

  /// Looks are moved to earlier moments alone: to come too early costs less than to push an event at each new rate.
  void foretell(int bundle) {
    Served& served = served_[at(bundle)];
    if (served.ends.empty() || served.rate == 0) return;
    const double end = served.next_end();
    if (end >= served.look) return;
    served.look = end;
    events_.push({end, Kind::look, bundle});
  }

  std::span<const LinkFlow> flows_;
  Bundles bundles_;
  FairShares shares_;
  double resolution_;  ///< seconds; what happens within them changes rates at once
  std::vector<Served> served_;
  std::vector<double> ends_;
  std::vector<std::vector<int>> next_;
  std::vector<std::size_t> waits_;  ///< flows that have to end first
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  double now_ = 0;
  bool changed_ = false;  ///< flows came or went since rates were taken
};

}  // namespace

std::vector<double> ends_by_max_min(std::span<const double> bandwidths, std::span<const LinkFlow> flows) {
  return Timeline(bandwidths, flows).run();
}

}  // namespace halocline::model::simulation
