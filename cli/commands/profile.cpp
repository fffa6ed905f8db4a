#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "commands/commands.hpp"
#include "halocline/core/error.hpp"
#include "halocline/core/program_folder.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

/// Beside this program, where nothing else is said.
fs::path profiling_library(const halocline::Environment& environment) {
  fs::path library = environment.profile_library ? fs::path(*environment.profile_library)
                                                 : halocline::program_folder() / HALOCLINE_PROFILE_LIBRARY;
  std::error_code ignored;
  if (fs::is_regular_file(library, ignored)) return fs::absolute(library).lexically_normal();
  throw halocline::CapabilityError(
      fmt::format("the profiling library {} is not there: build Halocline with MPI, or say by "
                  "HALOCLINE_PROFILE_LIBRARY where it is",
                  library.lexically_normal().string()));
}

/// Does not return.
int run_profile(Context& context, const std::string& output) {
  const auto& words = context.options.program;
  if (words.empty()) {
    throw halocline::InvalidArgument(
        "the program of 'halocline profile' is ''; allowed is '-- program arguments', behind all options");
  }
  std::string libraries = profiling_library(context.environment).string();
  if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0') {
    libraries += fmt::format(":{}", others);
  }
  setenv("LD_PRELOAD", libraries.c_str(), 1);
  // The program may go to another folder before it ends.
  setenv("HALOCLINE_PROFILE_OUTPUT", fs::absolute(output).c_str(), 1);
  std::vector<std::string> own = words;
  std::vector<char*> arguments;
  for (std::string& word : own) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  throw halocline::ResourceError(fmt::format("'{}' cannot be run: {}", words.front(), std::strerror(errno)));
}

}  // namespace

void add_profile_command(CLI::App& app, Options& /*options*/, Command& chosen) {
  auto* command = app.add_subcommand(
      "profile", "who sends how much to whom in any MPI program: mpirun -n 4 halocline profile -- program arguments");
  auto output = std::make_shared<std::string>();
  add_word(*command, "--output", "FILE",
           "the job's matrices (default: HALOCLINE_PROFILE_OUTPUT, else communication.csv)",
           [output](const auto&, const auto& word) { *output = word; });
  command->callback([&chosen, output] {
    chosen = [output](Context& context) {
      const std::string fallback = context.environment.profile_output.value_or("communication.csv");
      return run_profile(context, output->empty() ? fallback : *output);
    };
  });
}

}  // namespace cli
