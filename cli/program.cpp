#include "program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "arguments.hpp"
#include "halocline/core/error.hpp"

namespace cli {
namespace {

using namespace halocline;

/// Breaks a message's lines, so that an error is one line whatever it holds.
std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// The error as it was before ranks agreed on it: with one rank there is nobody to tell apart.
Error without_rank(const Error& error) {
  constexpr std::string_view prefix = "rank 0: ";
  const std::string text = error.what();
  return {error.kind(), text.rfind(prefix, 0) == 0 ? text.substr(prefix.size()) : text};
}

/// What the environment says, or the error in it: it can only be reported once ranks are known.
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

/// Errors that all ranks throw alike: they were agreed on, or follow from the same arguments.
bool same_on_all_ranks(const Error& error) {
  return error.kind() == ErrorKind::invalid_argument || error.kind() == ErrorKind::capability ||
         error.kind() == ErrorKind::resource;
}

/// After an error that other ranks may not know of. They may be waiting for this one, so the job must end;
/// rank 0, where it failed too, gets the time to speak first, so that the user sees one line.
[[noreturn]] void end_job(comm::Session& session, const std::exception& error) {
  const auto rank = session.world().rank().value();
  std::this_thread::sleep_for(std::chrono::milliseconds(100 * std::min<std::int64_t>(rank, 10)));
  report(error);
  session.abort(exit_failed);
}

int run_on_ranks(comm::Session& session, const ReadEnvironment& environment, int argc, char** argv) {
  auto& world = session.world();
  const bool root = world.rank().value() == 0;
  try {
    // Nearly always the same on all ranks, but a rank may have another environment.
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
    if (!arguments.command) {
      if (root) fmt::print("{}", arguments.text);
      return 0;
    }
    world.set_timeout(*arguments.options.timeout);
    Context context{world, environment.values, arguments.options};
    return arguments.command(context);
  } catch (const Error& error) {
    if (!same_on_all_ranks(error) || world.poisoned()) end_job(session, error);
    if (root) return report(world.size() == 1 ? without_rank(error) : error);
    return error.kind() == ErrorKind::invalid_argument ? exit_usage : exit_failed;
  } catch (const std::exception& error) {
    end_job(session, error);
  }
}

/// Whether this is the process that speaks for all that a launcher started, before there are ranks.
bool first_of_job() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name)) return std::string_view(rank) == "0";
  }
  return true;
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
      if (first_of_job()) fmt::print("{}", arguments.text);
      return 0;
    }
    if (dashes != end) arguments.options.program.assign(dashes + 1, end);
    Context context{*world, environment.values, arguments.options};
    return arguments.command(context);
  } catch (const Error& error) {
    if (first_of_job()) return report(error);
    return error.kind() == ErrorKind::invalid_argument ? exit_usage : exit_failed;
  }
}

}  // namespace

int report(const std::exception& error) {
  fmt::print(stderr, "halocline: error: {}\n", in_one_line(error.what()));
  std::fflush(stderr);
  const auto* known = dynamic_cast<const Error*>(&error);
  return known != nullptr && known->kind() == ErrorKind::invalid_argument ? exit_usage : exit_failed;
}

int run_program(int argc, char** argv) {
  const ReadEnvironment environment = read_environment();
  if (argc > 1 && std::string_view(argv[1]) == "profile") return run_as_another(environment, argc, argv);
  comm::Session session(&argc, &argv, environment.values);
  return run_on_ranks(session, environment, argc, argv);
}

}  // namespace cli
