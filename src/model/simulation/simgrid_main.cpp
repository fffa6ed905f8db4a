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
/// Moments nearer than `precision` (seconds) are one. Stacks are small and without guards, as there is one for each flow.
void configure(double precision) {
  for (const char* setting : {"network/model:CM02", "network/bandwidth-factor:1", "network/latency-factor:1",
                              "network/weight-S:0", "network/TCP-gamma:0", "network/crosstraffic:0",
                              "maxmin/precision:1e-9", "contexts/stack-size:64", "contexts/guard-size:0"}) {
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
  std::vector<double> busy(bandwidths.size());
  for (const LinkFlow& flow : flows) {
    for (const int link : flow.links) {
      const auto l = static_cast<std::size_t>(link);
      busy[l] += static_cast<double>(flow.bytes) / bandwidths[l];
    }
  }
  return busy.empty() ? fine : std::max(fine, 1e-5 * *std::max_element(busy.begin(), busy.end()));
}

/// A star: each flow has a host of its own, which sends over the flow's links to one host that all share. A table of routes would
/// be quadratic. Latency is not the links': SimGrid would give flows with a longer one a smaller share.
struct Platform {
  Platform(std::span<const double> bandwidths, std::span<const LinkFlow> flows) {
    constexpr double speed = 1;  // nothing is computed
    s4u::NetZone* const zone = s4u::create_star_zone("machine");
    std::vector<s4u::Link*> links;
    for (std::size_t l = 0; l < bandwidths.size(); ++l) {
      links.push_back(zone->create_link("link" + std::to_string(l), bandwidths[l])->set_latency(0.0)->seal());
    }
    sink = zone->create_host("sink", speed);
    zone->add_route(nullptr, sink->get_netpoint(), nullptr, nullptr, std::vector<s4u::LinkInRoute>{}, false);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      sources.push_back(zone->create_host("flow" + std::to_string(f), speed));
      std::vector<s4u::LinkInRoute> route;
      for (const int link : flows[f].links) route.emplace_back(links[static_cast<std::size_t>(link)]);
      zone->add_route(sources.back()->get_netpoint(), nullptr, nullptr, nullptr, route, false);
    }
    zone->seal();
  }

  s4u::Host* sink = nullptr;
  std::vector<s4u::Host*> sources;
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
    s4u::Actor::create("flow" + std::to_string(f), platform_.sink, [this, f] { live(f); });
  }

  void live(std::size_t f) {
    const LinkFlow& flow = flows_[f];
    if (flow.latency > 0) s4u::this_actor::sleep_for(flow.latency);
    if (!flow.links.empty() && flow.bytes > 0) {
      s4u::Comm::sendto(platform_.sources[f], platform_.sink, static_cast<std::uint64_t>(flow.bytes));
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
