// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <thread>

#include "discovery/detail/nominal.hpp"
#include "discovery/probe.hpp"

// Built if hwloc is not available: uses what the C++ library and the operating system report.
namespace halocline::machine {

HostProbe probe_host() {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());  // 0 if unknown
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  const std::int64_t memory = pages > 0 && page_bytes > 0 ? std::int64_t{pages} * page_bytes : 0;

  HostProbe host;
  host.type.name = "host";
  host.type.vertices.push_back({VertexKind::package, "package 0", 0, cores, -1});
  host.type.vertices.push_back({VertexKind::numa, "NUMA node 0", memory, cores, -1});
  host.type.links.push_back({1, 0, LinkKind::memory, nominal::numa.bandwidth, nominal::numa.latency});
  host.numa.emplace_back(0, 1);
  return host;
}

bool have_hwloc() { return false; }

std::vector<std::string> host_sources() {
  return {"packages and NUMA nodes: taken for one, because Halocline was built without hwloc",
          "rates between them: nominal, not measured"};
}

}  // namespace halocline::machine
