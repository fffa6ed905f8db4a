// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "comm/rank_group.hpp"
#include "halocline/box.hpp"
#include "halocline/environment.hpp"

namespace CLI {
class App;
}

namespace halocline::bench {

/// What a benchmark runs: collective over the ranks of the world; returns the exit code.
using Body = std::function<int(comm::RankGroup& world, const Environment& environment)>;

/// A benchmark's main(): MPI where it was launched, the command line, then the body. Errors are one line on standard
/// error and exit code 1, or 3 where machine or build cannot do what was asked for (CapabilityError); a command line
/// that cannot be read is exit code 2. An error ends the whole job.
int run_program(int argc, char** argv, CLI::App& app, const Body& body);

/// "512" or "1440x1452x700" as an extent. Throws InvalidArgument that names the option.
[[nodiscard]] Vec3 extent_from(const std::string& option, const std::string& text);
/// The inverse: "512" for a cube.
[[nodiscard]] std::string extent_text(const Vec3& extent);

}  // namespace halocline::bench
