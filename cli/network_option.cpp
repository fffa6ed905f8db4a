// SPDX-License-Identifier: BSD-3-Clause
#include "network_option.hpp"

#include <fmt/core.h>

#include <array>
#include <system_error>

#include "comm/agree.hpp"
#include "core/posix_file.hpp"

namespace cli {

using namespace halocline;
using machine::NetworkFormat;

namespace {

constexpr std::size_t most_bytes = std::size_t{32} << 20;

std::string text_of_file(const std::string& file) {
  try {
    const std::string text = read_file(file, most_bytes);
    if (text.empty()) refuse("--network", file, "a file that is not empty");
    return text;
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::file_too_large) {
      refuse("--network", file, fmt::format("a file of at most {} MiB", most_bytes >> 20));
    }
    refuse("--network", file, fmt::format("a file that can be read: {}", error.code().message()));
  }
}

}  // namespace

void NetworkFlags::check() const {
  if (format && !file) refuse_without("--network-format", "--network");
}

machine::MachineMap NetworkFlags::apply(Context& context, machine::MachineMap map) const {
  if (!file) return map;
  // A file may be there on one rank's node and not on another's.
  comm::agree_on(context.world, [&] {
    const std::string text = text_of_file(*file);
    const NetworkFormat found = format ? *format : machine::recognise_network(text, *file);
    map = machine::with_network(std::move(map), machine::read_network(found, text, *file));
  });
  return map;
}

void add_network_options(CLI::App& command, NetworkFlags& flags) {
  constexpr const char* group = "Network";
  add_text(
      command, "--network", "FILE",
      "take the network from output of ibnetdiscover, Slurm's topology.conf, XML of hwloc, or a CSV of measured pairs",
      flags.file)
      ->group(group);
  Choices<std::optional<NetworkFormat>> formats{{"auto", std::nullopt}};
  for (const NetworkFormat format :
       {NetworkFormat::ibnetdiscover, NetworkFormat::slurm, NetworkFormat::hwloc, NetworkFormat::pairs}) {
    formats.emplace_back(std::string(machine::to_string(format)), format);
  }
  add_choice(command, "--network-format", "NAME", "auto (default), ibnetdiscover, slurm, hwloc, or pairs", flags.format,
             formats)
      ->group(group);
}

}  // namespace cli
