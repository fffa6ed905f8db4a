#pragma once

#include "commands/commands.hpp"

/// The applications of `halocline run`, a file each.
namespace cli {

void add_run_laplace3d(CLI::App& run, Options& options, Command& chosen);
void add_run_mhd(CLI::App& run, Options& options, Command& chosen);

}  // namespace cli
