// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>

#include "cli/options.hpp"
#include "cli/planning.hpp"
#include "mhd/mhd.hpp"

namespace apps {

/// How `run mhd` communicates, besides what all commands decide.
struct MhdCommunication {
  bool paper_scheme = false;
  std::optional<mhd::BoundaryOrder> given;  ///< --boundary

  [[nodiscard]] mhd::BoundaryOrder boundary_order() const {
    return given.value_or(paper_scheme ? mhd::BoundaryOrder::after_all : mhd::BoundaryOrder::as_ready);
  }
};

void add_mhd_communication_options(CLI::App& command, const std::string& group, MhdCommunication& own);

/// With --paper-scheme, sets what other flags leave open: Z-order ranks, MPI, on device memory where it can, a message a direction,
/// the interior updated meanwhile.
void complete(const MhdCommunication& own, cli::Options& options, mhd::Settings& settings);

/// "messages    208 by mpi_staged an exchange", where there is one of each direction; else nothing.
[[nodiscard]] std::string messages_text(const cli::Options& options, std::span<const cli::Share> shares);

}  // namespace apps
