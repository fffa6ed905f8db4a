// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "context.hpp"
#include "mapping/communication_matrix.hpp"
#include "planning.hpp"

namespace cli {

/// What ranks send each other in one exchange: payloads, by where the message is taken from. mpi_staged sends from memory
/// of the host, all others from devices' memory. What stays within a rank is left out.
[[nodiscard]] halocline::mapping::Communication communication_of(const RoutedPlan& plan);

/// As `halocline profile` writes it, to the file of --communication. Collective. Throws as write_output().
void write_communication_file(Context& context, const std::string& file,
                              const halocline::mapping::Communication& communication);

/// Adds --communication FILE.
void add_communication_option(CLI::App& app, const std::string& meaning, std::string& file);

}  // namespace cli
