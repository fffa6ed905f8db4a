// SPDX-License-Identifier: BSD-3-Clause
#include "oracles/simgrid/simgrid.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

namespace halocline::model::simulation {
namespace {

namespace s4u = simgrid::s4u;

/// Only sharing is simulated: no protocol efficiency, no share that depends on the round-trip time, no
/// acknowledgements. Events less than 1e-11 s apart are one event. Stacks are small and without guard pages, as each
/// flow has one.
void configure() {
  for (const char* setting : {"network/model:CM02", "network/bandwidth-factor:1", "network/latency-factor:1",
                              "network/weight-S:0", "network/TCP-gamma:0", "network/crosstraffic:0",
                              "maxmin/precision:1e-14", "contexts/stack-size:64", "contexts/guard-size:0"}) {
    s4u::Engine::set_config(setting);
  }
  s4u::Engine::set_config("surf/precision", 1e-11);
}

/// Links of which some flow uses other than 1 a byte.
std::vector<char> weighted_links(std::size_t links, std::span<const LinkFlow> flows) {
  std::vector<char> weighted(links, 0);
  for (const LinkFlow& flow : flows) {
    for (std::size_t l = 0; l < flow.weights.size(); ++l) {
      if (flow.weights[l] != 1) weighted[static_cast<std::size_t>(flow.links[l])] = 1;
    }
  }
  return weighted;
}

/// A star: each flow has a host, which sends over the flow's links to a common host. A table of routes would be
/// quadratic. Latency is not modelled by links: SimGrid would give flows with a longer one a smaller share.
///
/// A flow uses a wireless link by weight: its rate over the rate that it would have alone, a level which the link holds
/// for the flow's source if it is the first link of the route, and for its sink if it is the last one. No other
/// property of wireless links is used.
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
    s4u::NetZone* const zone = s4u::create_wifi_zone("zone of " + name)->set_parent(zone_);  // it has one link
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
    if (by_weight.size() > 2) throw std::runtime_error("a flow has more than two links with weights");
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
  std::vector<std::vector<double>> levels_;  ///< by link with weights: its distinct weights
  std::vector<Rate> rates_;
  s4u::Host* common_sink_ = nullptr;
};

/// One actor for each flow, which starts when the last flow that it waits for has ended.
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
  configure();
  const Platform platform(bandwidths, flows);
  Actors actors(platform, flows);
  engine.run();
  return actors.ends();
}

/// Memory shared with a child process.
class SharedNumbers {
 public:
  explicit SharedNumbers(std::size_t count) : bytes_(count * sizeof(double)) {
    void* const memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory for SimGrid's results");
    numbers_ = {static_cast<double*>(memory), count};
  }
  SharedNumbers(const SharedNumbers&) = delete;  // one mapping, one owner
  SharedNumbers& operator=(const SharedNumbers&) = delete;
  ~SharedNumbers() { ::munmap(numbers_.data(), bytes_); }

  [[nodiscard]] std::span<double> numbers() const { return numbers_; }

 private:
  std::size_t bytes_;
  std::span<double> numbers_;
};

int run_in_child(std::span<const double> bandwidths, std::span<const LinkFlow> flows, std::span<double> ends) {
  try {
    std::ranges::copy(run(bandwidths, flows), ends.begin());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "SimGrid: %s\n", error.what());
    return 1;
  }
}

}  // namespace

std::vector<double> ends_by_simgrid(std::span<const double> bandwidths, std::span<const LinkFlow> flows) {
  const SharedNumbers ends(flows.size());
  const pid_t child = ::fork();
  if (child == 0) ::_exit(run_in_child(bandwidths, flows, ends.numbers()));
  int status = -1;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("SimGrid's process ended without a result");
  }
  return {ends.numbers().begin(), ends.numbers().end()};
}

}  // namespace halocline::model::simulation
