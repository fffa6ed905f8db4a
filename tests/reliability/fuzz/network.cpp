// SPDX-License-Identifier: BSD-3-Clause
// Networks of other programs: what is accepted becomes a machine map that is equal after it was written and read again.
#include "io/json.hpp"
#include "machine/found_network.hpp"
#include "machine/synthetic.hpp"
#include "target.hpp"

namespace halocline::fuzz {

std::vector<std::string> own_seeds() {
  return {"from,to,latency_us,bandwidth_gbytes\na,b,1,12\nc,d,1,12\na,c,2,6\na,d,2,6\nb,c,2,6\nb,d,2,6\n",
          "BlockName=b0 Nodes=n[0-3]\nBlockName=b1 Nodes=n[4-7]\nBlockSizes=4,8\n"};
}

}  // namespace halocline::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halocline;
  static const machine::MachineMap base = machine::synthetic({1, 2, 2});
  return fuzz::run_target(data, size, [](std::string_view text) {
    const machine::FoundNetwork found = machine::read_network(machine::recognise_network(text, "FILE"), text, "FILE");
    const machine::MachineMap map = machine::with_network(base, found);
    const std::string written = io::to_json(map);
    fuzz::require(io::machine_from_json(written) == map,
                  "a map with the network is equal after it was written and read");
  });
}
