// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/printable.hpp"
#include "core/utf8.hpp"
#include "halocline/error.hpp"
#include "machine/found_network.hpp"
#include "machine/network/readers.hpp"
#include "machine/network/text.hpp"

namespace halocline::machine {
namespace {

/// Names of the text go into machine maps, which are UTF-8.
void check_text(std::string_view text, std::string_view file) {
  int number = 0;
  for (const std::string_view line : network::lines_of(text)) {
    ++number;
    const auto control =
        std::ranges::find_if(line, [](char c) { return (c >= 0 && c < 0x20 && c != '\t' && c != '\r') || c == 0x7f; });
    const auto column = std::min(find_no_utf8(line), static_cast<std::size_t>(control - line.begin()));
    if (column >= line.size()) continue;
    throw InvalidArgument(fmt::format("{}:{}:{}: byte 0x{:02x}; allowed is UTF-8 text without control characters", file,
                                      number, column + 1, static_cast<unsigned char>(line[column])));
  }
}

FoundNetwork read_as(NetworkFormat format, std::string_view text, std::string_view file) {
  switch (format) {
    case NetworkFormat::ibnetdiscover: return network::read_ibnetdiscover(text, file);
    case NetworkFormat::slurm: return network::read_slurm(text, file);
    case NetworkFormat::hwloc: return network::read_hwloc(text, file);
    case NetworkFormat::pairs: return network::read_pairs(text, file);
  }
  throw InternalError("a NetworkFormat without a reader");
}

}  // namespace

std::string_view to_string(NetworkFormat format) { return network_formats[static_cast<std::size_t>(format)]; }

NetworkFormat recognise_network(std::string_view text, std::string_view file) {
  for (const std::string_view whole : network::lines_of(text)) {
    const std::string line = network::lower(trimmed(whole));
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
  throw InvalidArgument(fmt::format("{} is in no known format of networks; allowed is one of {}", printable(file),
                                    fmt::join(network_formats, ", ")));
}

FoundNetwork read_network(NetworkFormat format, std::string_view text, std::string_view file) {
  const std::string name = printable(file);
  check_text(text, name);
  return read_as(format, text, name);
}

}  // namespace halocline::machine
