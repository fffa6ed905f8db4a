#include "arguments.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <vector>

#include "halocline/core/error.hpp"
#include "table.hpp"

namespace cli {
namespace {

using halocline::InvalidArgument;

/// The command that was reached, e.g. `halocline run jacobi3d`, with its name in full.
struct Reached {
  CLI::App* app;
  std::string name;
};

Reached reached_in(CLI::App& app) {
  Reached reached{&app, app.get_name()};
  while (!reached.app->get_subcommands().empty()) {
    reached.app = reached.app->get_subcommands().front();
    reached.name += " " + reached.app->get_name();
  }
  return reached;
}

std::string names_of_commands(CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string names_of_options(CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) names.push_back(option->get_name());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What is wrong, in the words of this tool instead of the parser's.
std::string in_our_words(CLI::App& app, const CLI::ParseError& error) {
  const Reached reached = reached_in(app);
  const auto left = app.remaining(true);
  const bool wants_command = !reached.app->get_subcommands([](const CLI::App*) { return true; }).empty();
  if (!left.empty() && left[0].rfind('-', 0) == 0) {
    return fmt::format("'{}' is not an option of '{}'; allowed is {}", left[0], reached.name,
                       names_of_options(*reached.app));
  }
  if (wants_command) {
    return fmt::format("the command of '{}' is '{}'; allowed is {}", reached.name, left.empty() ? "" : left[0],
                       names_of_commands(*reached.app));
  }
  if (!left.empty()) {
    return fmt::format("'{}' is one word too many for '{}'; allowed is {}", left[0], reached.name,
                       names_of_options(*reached.app));
  }
  const std::string what = error.what();
  // "json was given a disallowed flag override"
  if (what.find("flag override") != std::string::npos) {
    return fmt::format("--{} is given with a value; allowed is none", what.substr(0, what.find(' ')));
  }
  // "--size: ..."
  const std::string name = what.substr(0, what.find_first_of(": "));
  if (const auto* option = reached.app->get_option_no_throw(name)) {
    return fmt::format("{} is given without a value, or with too many; allowed is '{} {}', once: {}", name, name,
                       option->get_type_name(), option->get_description());
  }
  return fmt::format("the command line is not understood: {}; see '{} --help'", what, reached.name);
}

std::string environment_text() {
  Table table({"variable", "allowed", "default", "meaning"});
  for (const auto& entry : halocline::Environment::documentation()) {
    table.row({entry.name, entry.allowed, entry.fallback, entry.meaning});
  }
  return table.text();
}

constexpr const char* description =
    "Halo exchange of distributed 3-D stencil codes.\n"
    "The commands follow the pipeline, and take the same flags: what one decides, the next one builds on.";

constexpr const char* footer =
    "\nFor a machine that is not here, planning commands take --nodes N --devices-per-node D, or --machine MAP.\n"
    "On the machine at hand: --devices D in one process, or under mpirun --devices-per-rank D.\n"
    "Exit codes: 0 done, 1 failed (or a check did), 2 wrong arguments.";

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv, const halocline::Environment& environment, int ranks) {
  Arguments arguments;
  CLI::App app(description, "halocline");
  app.footer(footer);
  app.set_version_flag("--version", std::string("halocline ") + HALOCLINE_VERSION);
  bool show_environment = false;
  app.add_flag("--help-environment", show_environment, "list the environment variables that are read");
  app.require_subcommand(0, 1);
  add_machine_command(app, arguments.options, arguments.command);
  add_partition_command(app, arguments.options, arguments.command);
  add_place_command(app, arguments.options, arguments.command);
  add_route_command(app, arguments.options, arguments.command);
  add_exchange_command(app, arguments.options, arguments.command);
  add_explain_command(app, arguments.options, arguments.command);
  add_run_command(app, arguments.options, arguments.command);
  add_bench_command(app, arguments.options, arguments.command);
  add_profile_command(app, arguments.options, arguments.command);
  add_simulate_command(app, arguments.options, arguments.command);
  add_map_command(app, arguments.options, arguments.command);
  add_plot_command(app, arguments.options, arguments.command);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {{}, {}, app.help()};
  } catch (const CLI::CallForVersion& version) {
    return {{}, {}, std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    throw InvalidArgument(in_our_words(app, error));
  }
  if (show_environment) return {{}, {}, environment_text()};
  if (!arguments.command) throw InvalidArgument(in_our_words(app, CLI::RequiredError("A command")));
  arguments.options.resolve(environment, ranks);
  return arguments;
}

}  // namespace cli
