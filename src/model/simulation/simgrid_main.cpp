// The program halocline-simgrid: reads flows over links (wire.hpp) from standard input, simulates them with SimGrid and writes when
// each ended. A program of its own, as SimGrid's library has an MPI of its own, and its engine is one a process.
#include <sys/prctl.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "model/simulation/wire.hpp"

namespace halocline::model::simulation {
namespace {

namespace s4u = simgrid::s4u;

/// Nothing but sharing counts: no protocol's efficiency, no share that depends on the round trip, no cost of acknowledgements.
/// Moments nearer than `precision` (seconds) are one. Shares are told from nothing below what a byte takes of a wireless link, of which
/// there is 1 in all. Stacks are small and without guards, as there is one for each flow.
void configure(double precision) {
  for (const char* setting : {"network/model:CM02", "network/bandwidth-factor:1", "network/latency-factor:1",
                              "network/weight-S:0", "network/TCP-gamma:0", "network/crosstraffic:0",
                              "maxmin/precision:1e-14", "contexts/stack-size:64", "contexts/guard-size:0"}) {
    s4u::Engine::set_config(setting);
  }
  s4u::Engine::set_config("surf/precision", precision);
}

/// Each end of a flow makes SimGrid solve for new shares, so that the ends of very many are rounded: to 1e-5 of what the busiest
/// link needs for its bytes alone.
double precision_of(std::span<const double> bandwidths, std::span<const LinkFlow> flows) {
  constexpr double fine = 1e-11;
  constexpr std::size_t many = 10'000;
  if (flows.size() < many) return fine;
  return std::max(fine, 1e-5 * busiest_seconds(bandwidths, flows));
}

/// A star: each flow has a host of its own, which sends over the flow's links to a host that flows share. A table of routes would
/// be quadratic. Latency is not the links': SimGrid would give flows with a longer one a smaller share.
///
/// Of a wireless link a flow takes by weight: its rate over what the link would give it alone, a level that the link holds for the
/// flow's source where it is the first of the route, and for its sink where it is the last one. Nothing else of wireless links counts.
class Platform {
 public:
  Platform(std::span<const double> bandwidths, std::span<const LinkFlow> flows)
      : zone_(s4u::create_star_zone("machine")), weighted_(weighted_links(bandwidths.size(), flows)) {
    for (std::size_t l = 0; l < bandwidths.size(); ++l) links_.push_back(link(l, bandwidths[l], flows));
    common_sink_ = host("sink", {});
    for (std::size_t f = 0; f < flows.size(); ++f) add(f, flows[f]);
    zone_->seal();
    for (const Rate& rate : rates_) links_[rate.link]->set_host_wifi_rate(rate.host, level(rate.link, rate.weight));
  }

  [[nodiscard]] s4u::Host* sink() const { return common_sink_; }
  std::vector<s4u::Host*> sources;
  std::vector<s4u::Host*> sinks;

 private:
  struct Rate {
    std::size_t link;
    s4u::Host* host;
    double weight;
  };

  s4u::Link* link(std::size_t l, double bandwidth, std::span<const LinkFlow> flows) {
    const std::string name = "link" + std::to_string(l);
    levels_.emplace_back();
    if (weighted_[l] == 0) return zone_->create_link(name, bandwidth)->set_latency(0.0)->seal();
    std::vector<double> alone;
    for (const LinkFlow& flow : flows) {
      for (std::size_t i = 0; i < flow.links.size(); ++i) {
        if (static_cast<std::size_t>(flow.links[i]) != l || level(l, flow.weight(i)) >= 0) continue;
        levels_[l].push_back(flow.weight(i));
        alone.push_back(bandwidth / flow.weight(i));
      }
    }
    s4u::NetZone* const zone = s4u::create_wifi_zone("zone of " + name)->set_parent(zone_);  // it takes one link
    return zone->create_link(name, alone)->set_latency(0.0)->seal();
  }

  /// -1: not known yet.
  [[nodiscard]] int level(std::size_t link, double weight) const {
    const auto& known = levels_[link];
    const auto found = std::find(known.begin(), known.end(), weight);
    return found == known.end() ? -1 : static_cast<int>(found - known.begin());
  }

  /// A host that sends over `route`; one without a route receives.
  s4u::Host* host(const std::string& name, const std::vector<s4u::LinkInRoute>& route) {
    constexpr double speed = 1;  // nothing is computed
    s4u::Host* const made = zone_->create_host(name, speed);
    const bool sends = !route.empty();
    zone_->add_route(sends ? made->get_netpoint() : nullptr, sends ? nullptr : made->get_netpoint(), nullptr, nullptr,
                     route, false);
    return made;
  }

  void add(std::size_t f, const LinkFlow& flow) {
    std::vector<s4u::LinkInRoute> route;
    std::vector<std::size_t> by_weight;
    for (std::size_t i = 0; i < flow.links.size(); ++i) {
      const auto l = static_cast<std::size_t>(flow.links[i]);
      if (weighted_[l] != 0) {
        by_weight.push_back(i);
      } else {
        route.emplace_back(links_[l]);
      }
    }
    const auto link_of = [&](std::size_t i) { return static_cast<std::size_t>(flow.links[i]); };
    if (!by_weight.empty()) route.emplace(route.begin(), links_[link_of(by_weight[0])]);
    if (by_weight.size() > 1) route.emplace_back(links_[link_of(by_weight[1])]);
    const std::string name = "flow" + std::to_string(f);
    sources.push_back(route.empty() ? common_sink_ : host(name, route));
    sinks.push_back(by_weight.size() > 1 ? host(name + " sink", {}) : common_sink_);
    if (!by_weight.empty()) rates_.push_back({link_of(by_weight[0]), sources.back(), flow.weight(by_weight[0])});
    if (by_weight.size() > 1) rates_.push_back({link_of(by_weight[1]), sinks.back(), flow.weight(by_weight[1])});
  }

  s4u::NetZone* zone_;
  std::vector<char> weighted_;
  std::vector<s4u::Link*> links_;
  std::vector<std::vector<double>> levels_;  ///< of each link by weight: the weights there are
  std::vector<Rate> rates_;
  s4u::Host* common_sink_ = nullptr;
};

/// An actor a flow, which begins when the last flow that it waits for has ended.
class Actors {
 public:
  Actors(const Platform& platform, std::span<const LinkFlow> flows)
      : platform_(platform), flows_(flows), ends_(flows.size(), -1), next_(flows.size()), waits_(flows.size()) {
    for (std::size_t f = 0; f < flows.size(); ++f) {
      waits_[f] = flows[f].after.size();
      for (const int before : flows[f].after) next_[static_cast<std::size_t>(before)].push_back(f);
    }
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (waits_[f] == 0) begin(f);
    }
  }

  [[nodiscard]] const std::vector<double>& ends() const { return ends_; }

 private:
  void begin(std::size_t f) {
    s4u::Actor::create("flow" + std::to_string(f), platform_.sink(), [this, f] { live(f); });
  }

  void live(std::size_t f) {
    const LinkFlow& flow = flows_[f];
    if (flow.latency > 0) s4u::this_actor::sleep_for(flow.latency);
    if (!flow.links.empty() && flow.bytes > 0) {
      s4u::Comm::sendto(platform_.sources[f], platform_.sinks[f], static_cast<std::uint64_t>(flow.bytes));
    }
    ends_[f] = s4u::Engine::get_clock();
    for (const std::size_t next : next_[f]) {
      if (--waits_[next] == 0) begin(next);
    }
  }

  const Platform& platform_;
  std::span<const LinkFlow> flows_;
  std::vector<double> ends_;
  std::vector<std::vector<std::size_t>> next_;
  std::vector<std::size_t> waits_;  ///< flows that have to end first
};

std::vector<double> run(std::span<const double> bandwidths, std::span<const LinkFlow> flows) {
  std::string name = "halocline";
  std::string quiet = "--log=root.thresh:critical";
  std::array<char*, 3> arguments{name.data(), quiet.data(), nullptr};
  int count = 2;
  s4u::Engine engine(&count, arguments.data());
  configure(precision_of(bandwidths, flows));
  const Platform platform(bandwidths, flows);
  Actors actors(platform, flows);
  engine.run();
  return actors.ends();
}

std::vector<std::int64_t> read_words() {
  std::vector<std::int64_t> words;
  std::array<std::int64_t, 4096> part{};
  for (std::size_t got = 1; got > 0;) {
    got = std::fread(part.data(), sizeof(std::int64_t), part.size(), stdin);
    words.insert(words.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
  }
  return words;
}

int answer() {
  const Question question = wire::decode(read_words());
  const std::vector<double> ends = run(question.bandwidths, question.flows);
  const bool written = std::fwrite(ends.data(), sizeof(double), ends.size(), stdout) == ends.size();
  return written && std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace halocline::model::simulation

int main() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read the answer
  try {
    return halocline::model::simulation::answer();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halocline-simgrid: %s\n", error.what());
    return 1;
  }
}
