// SPDX-License-Identifier: BSD-3-Clause
#include "mhd/command_communication.hpp"

#include <fmt/core.h>

#include "cli/parse.hpp"

namespace apps {

using namespace cli;
using namespace halocline;

using exchange::Messages;

void add_mhd_communication_options(CLI::App& command, const std::string& group, MhdCommunication& own) {
  add_flag(command, "--paper-scheme",
           "communicate as the paper does: --partition z_order --transports mpi_device,mpi_staged "
           "--messages by-direction --overlap --boundary after-all, unless other flags are given",
           own.paper_scheme)
      ->group(group);
  add_choice(command, "--boundary", "WHEN",
             "with --overlap, update the boundary: each part as-ready (default), or after-all halos have arrived",
             own.given,
             Choices<mhd::BoundaryOrder>{{"after-all", mhd::BoundaryOrder::after_all},
                                         {"as-ready", mhd::BoundaryOrder::as_ready}})
      ->group(group);
}

void complete(const MhdCommunication& own, Options& options, mhd::Settings& settings) {
  if (!own.paper_scheme) return;
  options.partition = options.partition.value_or(halocline::partition::Method::z_order);
  options.transports = options.transports.value_or("mpi_device,mpi_staged");
  options.messages = options.messages.value_or(Messages::by_direction);
  settings.overlap = settings.overlap.value_or(true);
}

std::string messages_text(const Options& options, std::span<const Share> shares) {
  if (options.messages != Messages::by_direction) return {};
  std::string text;
  for (const Share& share : shares) {
    text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", share.messages,
                        halocline::routing::to_string(share.transport));
  }
  return fmt::format("messages    {} an exchange\n", text);
}

}  // namespace apps
