// SPDX-License-Identifier: BSD-3-Clause
#include "commands/commands.hpp"
#include "common/app.hpp"

namespace cli {

void add_run_command(CLI::App& app, Options& options, Command& chosen) {
  auto* run = app.add_subcommand("run", "run an application on the machine at hand");
  run->require_subcommand(1);
  add_examples(*run, {"halocline run jacobi3d --size 64 --devices 4 --steps 100", "halocline help run mhd"});
  for (auto& owned : apps::all_apps()) {
    const std::shared_ptr<apps::App> one = std::move(owned);
    auto* command = run->add_subcommand(one->name(), one->description());
    add_size_option(*command, options);
    add_machine_options(*command, options);
    add_map_option(*command, options);
    add_trace_option(*command, options,
                     "record when each kernel and each operation of the exchange runs in the last steps");
    add_output_options(*command, options);
    one->add_options(*command, options);
    add_examples(*command, one->examples());
    command->callback([&chosen, one] { chosen = [one](Context& context) { return one->run(context); }; });
  }
}

}  // namespace cli
