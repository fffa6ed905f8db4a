// SPDX-License-Identifier: BSD-3-Clause
#include "support/program.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <exception>
#include <optional>
#include <vector>

#include "halocline/error.hpp"
#include "halocline/session.hpp"

namespace halocline::bench {
namespace {

constexpr int failed = 1;
constexpr int misused = 2;
constexpr int unavailable = 3;

int exit_code_of(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return known != nullptr && known->kind() == ErrorKind::capability ? unavailable : failed;
}

std::optional<std::int64_t> number_from(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return {};
  return value;
}

}  // namespace

int run_program(int argc, char** argv, CLI::App& app, const Body& body) {
  try {
    const Environment environment = Environment::read();
    comm::Session session(&argc, &argv, environment);
    comm::RankGroup& world = session.world();
    try {
      app.parse(argc, argv);
      return body(world, environment);
    } catch (const CLI::ParseError& error) {
      if (world.rank().value() != 0) return error.get_exit_code() == 0 ? 0 : misused;
      return app.exit(error) == 0 ? 0 : misused;
    } catch (const std::exception& error) {
      // An error that ranks agreed on names its rank already.
      const std::string what = error.what();
      const std::string whose = what.starts_with("rank ") ? "" : fmt::format("rank {}: ", world.rank().value());
      fmt::print(stderr, "{}: {}{}\n", app.get_name(), whose, what);
      if (world.size() > 1) session.abort(exit_code_of(error));
      return exit_code_of(error);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return exit_code_of(error);
  }
}

Vec3 extent_from(const std::string& option, const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const auto number = number_from(std::string_view(text).substr(begin, end - begin));
    if (number) numbers.push_back(*number);
    if (!number) break;
    if (end == text.size() && numbers.size() == 1) return Vec3::filled(numbers[0]);
    if (end == text.size() && numbers.size() == 3) return {numbers[0], numbers[1], numbers[2]};
    begin = end + 1;
  }
  throw InvalidArgument(
      fmt::format("{} is '{}'; allowed is one number above 0, or three as in 1440x1452x700", option, text));
}

std::string extent_text(const Vec3& extent) {
  if (extent == Vec3::filled(extent.x)) return std::to_string(extent.x);
  return fmt::format("{}x{}x{}", extent.x, extent.y, extent.z);
}

}  // namespace halocline::bench
