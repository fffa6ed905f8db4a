// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <fmt/core.h>

#include <chrono>

#include "discovery/probe.hpp"
#include "doctor/check.hpp"
#include "doctor/child.hpp"
#include "exchange/ucx_usable.hpp"
#include "io/digest.hpp"
#include "mapping/mapper.hpp"
#include "picture.hpp"
#include "table.hpp"

namespace cli::doctor {
namespace {

using namespace halocline;

Finding not_built(const std::string& what, const std::string& package, const std::string& option) {
  return absent("not in this build: " + what,
                fmt::format("install {}, and configure Halocline with -D{}=ON", package, option));
}

/// Four processes, of which 0 and 1, and 2 and 3, send to each other, on two places with one switch.
std::vector<int> places_by_scotch() {
  mapping::CommunicationMatrix matrix(4);
  for (const auto& [a, b] : {std::pair{0, 1}, std::pair{2, 3}}) {
    matrix.add(a, b, 1000);
    matrix.add(b, a, 1000);
  }
  mapping::Topology::Graph graph;
  graph.name = "two nodes";
  graph.vertices = 3;
  graph.places = {0, 1};
  graph.is_end = {true, true, false};
  for (const int node : {0, 1}) graph.links.push_back({node, 2, {machine::LinkKind::network, 1e9, 1e-6}});
  const mapping::Topology topology(graph);
  return mapping::map_processes(mapping::Mapper::scotch, {&matrix, &topology, {2, 2}});
}

/// Prints the version of the package, after an exchange on host devices.
constexpr const char* python_program =
    "try:\n"
    "    import halocline\n"
    "except ModuleNotFoundError as error:\n"
    "    if error.name != 'halocline': raise\n"
    "    print('absent')\n"
    "else:\n"
    "    d = halocline.Domain((8, 8, 8), stencil=1, fields={'u': 'float32'})\n"
    "    d['u'].set(lambda z, y, x: x)\n"
    "    d.exchange()\n"
    "    print(halocline.__version__)\n";

}  // namespace

Finding try_hwloc(Subject& /*subject*/) {
  if (!machine::have_hwloc()) return not_built("nodes count as one package", "libhwloc-dev", "HALOCLINE_HWLOC");
  const machine::HostProbe& host = machine::this_host();
  int cores = 0;
  for (const auto& vertex : host.type.vertices) {
    if (vertex.kind == machine::VertexKind::package) cores += vertex.cores;
  }
  if (cores == 0) return broken("hwloc reports no core", "see what 'lstopo' prints; /sys must be mounted");
  return works(fmt::format("{}, {}", plural(cores, "core"), plural(std::ssize(host.numa), "NUMA node")));
}

Finding try_scotch(Subject& /*subject*/) {
  if (!mapping::have_scotch()) {
    return not_built("'halocline map' has one mapper less", "libscotch-dev", "HALOCLINE_SCOTCH");
  }
  const auto places = places_by_scotch();
  if (places[0] != places[1] || places[2] != places[3] || places[0] == places[2]) {
    return broken("two pairs of processes were mapped apart", "use another version of Scotch");
  }
  return works("two pairs of processes were mapped to two nodes");
}

Finding try_png(Subject& /*subject*/) {
  if (!can_write_png()) return not_built("no pictures", "libpng-dev", "HALOCLINE_PNG");
  const std::string file = png_of({2, 1, {255, 0, 0, 0, 0, 255}});
  if (!file.starts_with("\x89PNG")) return broken("libpng wrote something else than a PNG file", "use another libpng");
  return works(fmt::format("a picture of {} was written", bytes_text(std::ssize(file))));
}

Finding try_digests(Subject& /*subject*/) {
  if (!io::has_digests().yes) return not_built("no checkpoints", "libxxhash-dev", "HALOCLINE_XXHASH");
  // XXH3 with 64 bits of no bytes, from the specification of xxHash.
  if (io::digest_of({}) != UINT64_C(0x2d06800538d394c2))
    return broken("xxHash computes another digest", "use xxHash 0.8");
  return works("XXH3 of xxHash");
}

Finding try_ucx(Subject& /*subject*/) {
  const auto& usable = exchange::ucx_usable();
  if (!usable.yes) return absent(usable.why_not, "install UCX; only net by ucx (HALOCLINE_NET_ENGINE) needs it");
  return works("libucp.so.0 has been loaded, for net by ucx");
}

Finding try_nccl(Subject& /*subject*/) {
  void* library = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string why = ::dlerror();
    if (why.find("No such file") == std::string::npos)
      return broken(why, "reinstall NCCL; only the transport nccl needs it");
    return absent(why, "install NCCL; only the transport nccl needs it");
  }
  int version = 0;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how functions are looked up
  const auto get = reinterpret_cast<int (*)(int*)>(::dlsym(library, "ncclGetVersion"));
  const bool known = get != nullptr && get(&version) == 0;
  ::dlclose(library);
  if (!known)
    return broken("libnccl.so.2 does not report its version", "reinstall NCCL; only the transport nccl needs it");
  return works(fmt::format("{}.{}.{}, for the transport nccl", version / 10000, version / 100 % 100, version % 100));
}

Finding try_python(Subject& subject) {
  // One process of each node: the others would only wait for a core.
  if (!subject.first_of_node()) return skipped("tried by the first rank of the node");
  const ChildResult child = run_child({"python3", "-c", python_program}, std::chrono::seconds(60));
  if (!child.started) return absent("no python3 on PATH", "install python3, then pip install . in Halocline's source");
  const std::string seen = child.last_line();
  const std::string install = "pip install . in Halocline's source, with this python3";
  if (!child.in_time) return broken("an exchange has not ended after 60 s", install);
  if (child.code != 0) return broken(seen, install);
  if (seen == "absent") return absent("the package halocline is not installed for python3", install);
  if (seen != HALOCLINE_VERSION) {
    return broken(fmt::format("the package is of version {}, this tool of {}", seen, HALOCLINE_VERSION), install);
  }
  return works(fmt::format("halocline {}: an exchange on host devices", seen));
}

}  // namespace cli::doctor
