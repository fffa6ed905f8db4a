// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "halocline/error.hpp"
#include "machine/found_network.hpp"
#include "machine/network/readers.hpp"
#include "machine/network/text.hpp"

namespace halocline::machine {

std::string_view to_string(NetworkFormat format) { return network_formats[static_cast<std::size_t>(format)]; }

NetworkFormat recognise_network(std::string_view text, std::string_view file) {
  for (const std::string_view whole : network::lines_of(text)) {
    const std::string line = network::lower(network::trimmed(whole));
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '<') return NetworkFormat::hwloc;
    if (line.starts_with("from,to,")) return NetworkFormat::pairs;
    for (const char* word : {"switchname=", "blockname=", "aggregatedblock=", "blocksizes="}) {
      if (line.starts_with(word)) return NetworkFormat::slurm;
    }
    for (const char* word : {"vendid=", "non-chassis nodes", "chassis ", "switch\t", "switch ", "ca\t", "ca "}) {
      if (line.starts_with(word)) return NetworkFormat::ibnetdiscover;
    }
    break;
  }
  throw InvalidArgument(fmt::format("{} is in no known format of networks; allowed is one of {}", file,
                                    fmt::join(network_formats, ", ")));
}

FoundNetwork read_network(NetworkFormat format, std::string_view text, std::string_view file) {
  switch (format) {
    case NetworkFormat::ibnetdiscover: return network::read_ibnetdiscover(text, file);
    case NetworkFormat::slurm: return network::read_slurm(text, file);
    case NetworkFormat::hwloc: return network::read_hwloc(text, file);
    case NetworkFormat::pairs: return network::read_pairs(text, file);
  }
  throw InternalError("a NetworkFormat without a reader");
}

}  // namespace halocline::machine
