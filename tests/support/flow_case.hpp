// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "model/simulation/network.hpp"

namespace halocline::test {

/// Flows over links, the input of the solvers.
struct FlowCase {
  std::vector<double> bandwidths;
  std::vector<model::simulation::LinkFlow> flows;
};

/// Few different bandwidths and sizes, so that many events coincide; flows wait for earlier ones. Flows use the first
/// `by_weight` links by weight, each flow at most two of them.
inline FlowCase random_flows(unsigned seed, int links, int flows, int by_weight = 0) {
  std::mt19937 random(seed);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  FlowCase made;
  for (int l = 0; l < by_weight + links; ++l) made.bandwidths.push_back(1e9 * (1 + below(5)));
  for (int f = 0; f < flows; ++f) {
    model::simulation::LinkFlow flow;
    flow.bytes = 1'000'000 * below(6);
    flow.latency = 1e-5 * below(3);
    const auto add = [&](int count, int first, int end) {
      for (; count > 0; --count) flow.links.push_back(first + below(end));
    };
    if (by_weight > 0) add(below(3), 0, by_weight);
    add(1 + below(4), by_weight, links);
    std::ranges::sort(flow.links);
    flow.links.erase(std::ranges::unique(flow.links).begin(), flow.links.end());
    if (by_weight > 0) {
      for (const int link : flow.links) flow.weights.push_back(link < by_weight ? 0.3 * (1 + below(4)) : 1);
    }
    if (f > 0 && below(3) == 0) flow.after.push_back(below(f));
    if (f > 0 && below(5) == 0) flow.after.push_back(below(f));
    made.flows.push_back(flow);
  }
  return made;
}

}  // namespace halocline::test
