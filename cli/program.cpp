// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"
#include "comm/launcher.hpp"
#include "comm/local_ranks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "arguments.hpp"
#include "comm/agree.hpp"
#include "core/log.hpp"
#include "ending.hpp"
#include "halocline/error.hpp"
#include "outputs.hpp"
#include "same_command.hpp"
#include "unknown_variables.hpp"

namespace cli {
namespace {

using namespace halocline;

/// How long a rank that failed waits for the others' end before it ends the job.
constexpr Duration patience = std::chrono::seconds(3);
/// How long lines may take on their way to the launcher before the job is ended.
constexpr Duration time_to_print = std::chrono::milliseconds(300);

/// The settings of the environment, or their error, which can be reported only when the ranks are known.
struct ReadEnvironment {
  Environment values;
  std::exception_ptr error;
};

ReadEnvironment read_environment() {
  ReadEnvironment read;
  try {
    read.values = Environment::read();
  } catch (const Error&) {
    read.error = std::current_exception();
  }
  return read;
}

/// The first value of an option, from before the arguments are parsed; empty if it is not given.
std::string value_of(std::string_view option, int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") break;
    if (word == option && i + 1 < argc) return argv[i + 1];
    if (word.starts_with(option) && word.substr(option.size()).starts_with('=')) {
      return std::string(word.substr(option.size() + 1));
    }
  }
  return {};
}

/// --timeout wins over HALOCLINE_TIMEOUT, because ranks wait for each other before the arguments are parsed. A value that is none is
/// left to the parser.
void put_timeout_in_environment(int argc, const char* const* argv) {
  constexpr std::string_view option = "--timeout";
  const std::string value = value_of(option, argc, argv);
  if (value.empty()) return;
  try {
    static_cast<void>(parse_seconds(std::string(option), value));
    setenv("HALOCLINE_TIMEOUT", value.c_str(), 1);
  } catch (const InvalidArgument&) {
    // The parser's business.
  }
}

/// What a Session depends on: --transports wins over HALOCLINE_TRANSPORTS.
Environment environment_of_session(const ReadEnvironment& environment, int argc, const char* const* argv) {
  Environment values = environment.values;
  if (std::string transports = value_of("--transports", argc, argv); !transports.empty()) {
    values.transports = std::move(transports);
  }
  return values;
}

/// Collective: the same command on all ranks, or the same error.
Arguments agreed_arguments(comm::RankGroup& world, const ReadEnvironment& environment, int argc, char** argv) {
  check_same_command(world, argc, argv);
  Arguments arguments;
  std::exception_ptr mine = environment.error;
  try {
    if (!mine) arguments = parse_arguments(argc, argv, environment.values, world.size());
  } catch (const Error&) {
    mine = std::current_exception();
  }
  try {
    comm::agree(world, mine);
  } catch (const Error&) {
    // Where this rank has the same trouble, in its own words, without "rank 0:".
    if (mine) std::rethrow_exception(mine);
    throw;
  }
  return arguments;
}

int run_command(comm::RankGroup& world, const ReadEnvironment& environment, int argc, char** argv) {
  Arguments arguments = agreed_arguments(world, environment, argc, argv);
  if (!arguments.command) {
    if (world.rank().value() == 0) print_out(arguments.text);
    return 0;
  }
  world.set_timeout(*arguments.options.timeout);
  Context context{world, environment.values, arguments.options};
  return arguments.command(context);
}

/// Ends the whole job, once the lines that ranks have printed are on their way.
[[noreturn]] void abandon_job(comm::Session& session, comm::RankGroup& group, const Ending& ending) {
  try {
    group.set_timeout(time_to_print);
    if (ending.agreed) group.barrier();
  } catch (const Error&) {
    // A rank ends the job already.
  }
  std::this_thread::sleep_for(time_to_print);
  session.abort(ending.code);
}

int run_on_ranks(comm::Session& session, const ReadEnvironment& environment, int argc, char** argv) {
  comm::RankGroup& world = session.world();
  const bool root = world.rank().value() == 0;
  const auto group = world.split(0, static_cast<int>(world.rank().value()));
  Ended mine;
  try {
    if (root) {
      for (const std::string& sentence : unknown_variables()) log(LogLevel::warning, sentence);
      log(LogLevel::info, fmt::format("halocline {}: {} ranks, timeout {} s", HALOCLINE_VERSION, world.size(),
                                      std::chrono::duration<double>(world.timeout()).count()));
    }
    mine.code = run_command(world, environment, argc, argv);
    if (root) finish_output();
  } catch (...) {
    mine.error = std::current_exception();
  }
  const Ending ending = end_together(*group, mine, patience);
  for (const std::string& line : ending.errors) log(LogLevel::error, line);
  if (ending.abandon) abandon_job(session, *group, ending);
  group->close();
  return ending.code;
}

/// `halocline profile ... -- program arguments`: MPI's process is the program, and only it may initialise MPI.
int run_as_another(const ReadEnvironment& environment, int argc, char** argv) {
  char** const end = argv + argc;
  char** const dashes = std::find(argv, end, std::string_view("--"));
  const auto world = comm::serial();
  try {
    if (environment.error) std::rethrow_exception(environment.error);
    Arguments arguments = parse_arguments(static_cast<int>(dashes - argv), argv, environment.values, 1);
    if (!arguments.command) {
      if (comm::first_of_job()) print_out(arguments.text);
      finish_output();
      return 0;
    }
    if (dashes != end) arguments.options.program.assign(dashes + 1, end);
    Context context{*world, environment.values, arguments.options};
    return arguments.command(context);
  } catch (...) {
    if (comm::first_of_job()) return report(std::current_exception());
    return exit_code_of(std::current_exception());
  }
}

/// `halocline doctor` by processes that are not one world, which is its finding. The first of them prints it; the others end
/// without a failure, after which a launcher would end the first one, too.
int run_without_job(const ReadEnvironment& environment, const std::string& why, int argc, char** argv) {
  if (!comm::first_of_job()) return 0;
  const auto world = comm::serial();
  try {
    Arguments arguments = agreed_arguments(*world, environment, argc, argv);
    if (!arguments.command) {
      print_out(arguments.text);
      finish_output();
      return 0;
    }
    Context context{*world, environment.values, arguments.options, why};
    const int code = arguments.command(context);
    finish_output();
    return code;
  } catch (...) {
    return report(std::current_exception());
  }
}

}  // namespace

int report(const std::exception_ptr& error) {
  log(LogLevel::error, message_of(error));
  return exit_code_of(error);
}

int run_program(int argc, char** argv) {
  put_timeout_in_environment(argc, argv);
  const ReadEnvironment environment = read_environment();
  if (argc > 1 && std::string_view(argv[1]) == "profile") return run_as_another(environment, argc, argv);
  hold_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is an error of the write, which is reported
  try {
    comm::Session session(&argc, &argv, environment_of_session(environment, argc, argv));
    return run_on_ranks(session, environment, argc, argv);
  } catch (const CapabilityError& error) {
    // Only the session throws it: run_on_ranks() reports the errors of commands.
    if (argc < 2 || std::string_view(argv[1]) != "doctor") throw;
    return run_without_job(environment, error.what(), argc, argv);
  }
}

}  // namespace cli
