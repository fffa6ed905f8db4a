// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "context.hpp"
#include "help.hpp"

/// One file a command, in the order of the pipeline. Each adds its subcommand with its flags, and sets
/// `chosen` to what is to be run where the user takes it. What is run is collective; it returns the exit
/// code.
namespace cli {

using Command = std::function<int(Context&)>;

void add_machine_command(CLI::App& app, Options& options, Command& chosen);
void add_partition_command(CLI::App& app, Options& options, Command& chosen);
void add_place_command(CLI::App& app, Options& options, Command& chosen);
void add_route_command(CLI::App& app, Options& options, Command& chosen);
void add_exchange_command(CLI::App& app, Options& options, Command& chosen);
void add_tune_command(CLI::App& app, Options& options, Command& chosen);
void add_explain_command(CLI::App& app, Options& options, Command& chosen);
void add_run_command(CLI::App& app, Options& options, Command& chosen);
void add_bench_command(CLI::App& app, Options& options, Command& chosen);
/// Its command ends by turning the process into another program, so that it must run before MPI is initialised.
void add_profile_command(CLI::App& app, Options& options, Command& chosen);
void add_simulate_command(CLI::App& app, Options& options, Command& chosen);
void add_predict_command(CLI::App& app, Options& options, Command& chosen);
void add_map_command(CLI::App& app, Options& options, Command& chosen);
void add_plot_command(CLI::App& app, Options& options, Command& chosen);
/// Its command also runs where the processes of a job are not one world, with Context::no_job.
void add_doctor_command(CLI::App& app, Options& options, Command& chosen);
void add_attach_command(CLI::App& app, Options& options, Command& chosen);
void add_postmortem_command(CLI::App& app, Options& options, Command& chosen);

}  // namespace cli
