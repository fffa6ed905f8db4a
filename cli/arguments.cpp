// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <fmt/core.h>

#include "core/environment_variables.hpp"
#include "fold.hpp"
#include "halocline/error.hpp"
#include "help.hpp"
#include "refusals.hpp"
#include "texts/text_commands.hpp"

namespace cli {
namespace {

using halocline::InvalidArgument;

std::string environment_text() {
  std::string text;
  for (const auto& entry : halocline::environment_variables()) {
    text += fmt::format("{}\n    {}\n    allowed: {}; default: {}\n", entry.name, entry.meaning, entry.allowed,
                        entry.fallback);
  }
  return folded(text);
}

constexpr const char* description =
    "Halo exchange of distributed 3-D stencil codes.\n"
    "The commands that plan follow the pipeline: machine, partition, place, route, exchange.\n"
    "Each takes the options of the one before it, and its own.";

constexpr const char* footer =
    "Examples:\n"
    "  halocline explain --machine summit --nodes 2 --size 1024\n"
    "  halocline exchange --devices 4 --size 64 --verify\n"
    "  mpirun -n 2 halocline run jacobi3d --devices-per-rank 2 --size 64 --steps 100 --check\n"
    "  halocline help run jacobi3d\n"
    "\n"
    "For another machine, planning commands take --nodes N --devices-per-node D, or --machine MAP.\n"
    "On the machine at hand: --devices D in one process, or under mpirun --devices-per-rank D.\n"
    "Exit codes: 0 done, 1 failed (or a check did), 2 wrong arguments.";

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv, const halocline::Environment& environment, int ranks) {
  Arguments arguments;
  CLI::App app(description, "halocline");
  app.footer(footer);
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", std::string("halocline ") + HALOCLINE_VERSION, "print the version");
  bool show_environment = false;
  app.add_flag("--help-environment", show_environment, "print the environment variables that are read");
  app.require_subcommand(0, 1);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  add_machine_command(app, arguments.options, arguments.command);
  add_partition_command(app, arguments.options, arguments.command);
  add_place_command(app, arguments.options, arguments.command);
  add_route_command(app, arguments.options, arguments.command);
  add_exchange_command(app, arguments.options, arguments.command);
  add_tune_command(app, arguments.options, arguments.command);
  add_explain_command(app, arguments.options, arguments.command);
  add_run_command(app, arguments.options, arguments.command);
  add_bench_command(app, arguments.options, arguments.command);
  add_profile_command(app, arguments.options, arguments.command);
  add_simulate_command(app, arguments.options, arguments.command);
  add_predict_command(app, arguments.options, arguments.command);
  add_map_command(app, arguments.options, arguments.command);
  add_plot_command(app, arguments.options, arguments.command);
  add_doctor_command(app, arguments.options, arguments.command);
  add_attach_command(app, arguments.options, arguments.command);
  add_postmortem_command(app, arguments.options, arguments.command);
  const texts::TextCommands text_commands(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const Reached reached = reached_in(app);
    return {{}, {}, help_text(*reached.app, reached.name)};
  } catch (const CLI::CallForVersion& version) {
    return {{}, {}, std::string(version.what()) + "\n"};
  } catch (const CLI::ArgumentMismatch&) {
    throw InvalidArgument(wrong_number_of_values(app, argv[argc - 1]));
  } catch (const CLI::ParseError& error) {
    throw InvalidArgument(unknown_word(app, error));
  }
  if (show_environment) return {{}, {}, environment_text()};
  if (auto text = text_commands.text()) return {{}, {}, std::move(*text)};
  if (!arguments.command) return {{}, {}, help_of(app, {})};
  arguments.options.resolve(environment, ranks);
  return arguments;
}

}  // namespace cli
