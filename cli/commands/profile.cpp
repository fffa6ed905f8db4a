// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "comm/launcher.hpp"
#include "commands/commands.hpp"
#include "core/program_folder.hpp"
#include "halocline/error.hpp"
#include "watched_program.hpp"

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
      fmt::format("the profiling library {} is not there: build Halocline with MPI (target halocline_profile), or set "
                  "HALOCLINE_PROFILE_LIBRARY to its path",
                  library.lexically_normal().string()));
}

/// Finds out before the job that the dynamic linker would start the program without the library, with a mere warning.
void check_loadable(const std::string& library) {
  // It splits LD_PRELOAD at spaces and colons, and replaces words that begin with $.
  if (library.find_first_of(" :$") != std::string::npos) {
    throw halocline::InvalidArgument(fmt::format(
        "the profiling library is '{}'; allowed is a path without spaces, ':' and '$', which LD_PRELOAD cannot "
        "hold: name a link without them in HALOCLINE_PROFILE_LIBRARY",
        library));
  }
  if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) == nullptr) {
    throw halocline::CapabilityError(fmt::format("the profiling library cannot be loaded: {}", dlerror()));
  }
}

/// What tells a file that was written from the one before, which it replaced.
using Version = std::array<std::int64_t, 4>;

/// Nothing where there is no regular file.
std::optional<Version> version_of(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return std::nullopt;
  return Version{static_cast<std::int64_t>(file.st_dev), static_cast<std::int64_t>(file.st_ino), file.st_mtim.tv_sec,
                 file.st_mtim.tv_nsec};
}

/// The job's first process waits for its program, to see that a profile was written.
int run_and_check(const std::vector<std::string>& words, const std::string& output) {
  std::error_code none;
  const auto before = version_of(output);
  const int code = run_watched(words);
  if (code != 0 || version_of(output) != before) return code;
  if (fs::exists(output, none) && !before) return code;  // a pipe, a device
  throw halocline::ResourceError(fmt::format("the program ended without a profile: {} {}", output,
                                             before ? "is that of an earlier job" : "was not written"));
}

int run_profile(Context& context, const std::string& output) {
  const auto& words = context.options.program;
  if (words.empty()) {
    refuse_without("'halocline profile'", "a program: '-- program arguments' after all options");
  }
  std::string libraries = profiling_library(context.environment).string();
  check_loadable(libraries);
  if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0') {
    libraries += fmt::format(":{}", others);
  }
  setenv("LD_PRELOAD", libraries.c_str(), 1);
  // The program may go to another folder before it ends.
  const std::string path = fs::absolute(output).string();
  setenv("HALOCLINE_PROFILE_OUTPUT", path.c_str(), 1);
  if (halocline::comm::first_of_job()) return run_and_check(words, path);
  become_program(words);
}

}  // namespace

void add_profile_command(CLI::App& app, Options& /*options*/, Command& chosen) {
  auto* command = app.add_subcommand(
      "profile",
      "count the messages between ranks of any MPI program: mpirun -n 4 halocline profile -- program arguments");
  auto output = std::make_shared<std::string>();
  add_text(*command, "--output", "FILE",
           "file of the communication matrices (default: HALOCLINE_PROFILE_OUTPUT, else communication.csv)", *output);
  add_examples(*command, {"mpirun -n 2 halocline profile --output pairs.csv -- halocline exchange --size 32"});
  command->callback([&chosen, output] {
    chosen = [output](Context& context) {
      const std::string fallback = context.environment.profile_output.value_or("communication.csv");
      return run_profile(context, output->empty() ? fallback : *output);
    };
  });
}

}  // namespace cli
