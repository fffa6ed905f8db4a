// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "context.hpp"
#include "machine/found_network.hpp"

namespace cli {

/// The flags for a network that another program describes.
struct NetworkFlags {
  std::optional<std::string> file;
  std::optional<halocline::machine::NetworkFormat> format;  ///< unset: recognised

  void check() const;
  /// The map with the file's network, if there is one. Collective: the same map, or error, on all ranks.
  [[nodiscard]] halocline::machine::MachineMap apply(Context& context, halocline::machine::MachineMap map) const;
};

void add_network_options(CLI::App& command, NetworkFlags& flags);

}  // namespace cli
