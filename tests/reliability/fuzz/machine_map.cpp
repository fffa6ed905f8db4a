// SPDX-License-Identifier: BSD-3-Clause
// Machine maps: what is accepted is equal after it was written and read again, and small machines can be simulated.
#include <algorithm>
#include <cmath>

#include "io/json.hpp"
#include "machine/interconnect.hpp"
#include "machine/synthetic.hpp"
#include "model/simulate.hpp"
#include "target.hpp"

namespace halocline::fuzz {
namespace {

using machine::MachineMap;

constexpr std::int64_t most_devices = 32;
constexpr std::size_t most_nodes = 16;

/// A message from each device to the next one, and to the first device of the next node.
void simulate_small(const MachineMap& map) {
  if (map.nodes.size() > most_nodes || map.device_count() > most_devices) return;
  const machine::Interconnect interconnect(map);
  std::vector<machine::Place> places;
  for (std::size_t n = 0; n < map.nodes.size(); ++n) {
    const node_id node(static_cast<std::int64_t>(n));
    for (int d = 0; d < map.devices_of(node); ++d) places.push_back(interconnect.device(node, device_id(d)));
  }
  std::vector<model::Flow> flows;
  for (std::size_t p = 0; p < places.size(); ++p)
    flows.push_back({places[p], places[(p + 1) % places.size()], std::int64_t{1} << (p % 24), 0});
  const model::Simulated simulated = model::simulate(interconnect, {}, flows);
  require(simulated.ends.size() == flows.size(), "each flow has an end");
  for (const double end : simulated.ends) {
    require(std::isfinite(end) && end >= 0 && end <= simulated.seconds, "ends are finite and not after the last");
  }
}

}  // namespace

std::vector<std::string> own_seeds() { return {io::to_json(machine::synthetic({2, 4, 2}))}; }

}  // namespace halocline::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halocline;
  return fuzz::run_target(data, size, [](std::string_view text) {
    const machine::MachineMap map = io::machine_from_json(text);
    const std::string written = io::to_json(map);
    const machine::MachineMap again = io::machine_from_json(written);
    fuzz::require(again == map, "a map is equal after it was written and read");
    fuzz::require(io::to_json(again) == written, "equal maps are written alike");
    fuzz::simulate_small(map);
  });
}
