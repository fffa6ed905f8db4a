// SPDX-License-Identifier: BSD-3-Clause
#include "unknown_variables.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/environment_variables.hpp"
#include "halocline/environment.hpp"
#include "nearest.hpp"

namespace cli {
namespace {

constexpr std::string_view prefix = "HALOCLINE_";
/// What CMake, package managers and module systems set for any package.
constexpr std::array<std::string_view, 5> of_packages{"DIR", "HOME", "PREFIX", "ROOT", "VERSION"};
/// As far as a name may be from one that is likely to be meant. They share the prefix, so that nearest_name() would take any.
constexpr std::size_t most_changes = 3;

std::string sentence(std::string_view name, const std::vector<halocline::EnvironmentVariable>& known) {
  const auto distance = [&](const auto& entry) { return edit_distance(name, entry.name); };
  const auto nearest = std::ranges::min_element(known, {}, distance);
  return fmt::format("{} is set, but nothing reads it; {}", name,
                     distance(*nearest) <= most_changes ? fmt::format("did you mean {}?", nearest->name)
                                                        : "see 'halocline --help-environment'");
}

}  // namespace

std::vector<std::string> unknown_variables(const std::vector<std::string>& entries) {
  const auto known = halocline::environment_variables();
  std::vector<std::string> sentences;
  for (const std::string_view entry : entries) {
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with(prefix)) continue;
    if (std::ranges::find(of_packages, name.substr(prefix.size())) != of_packages.end()) continue;
    if (std::ranges::find(known, name, &halocline::EnvironmentVariable::name) != known.end()) continue;
    sentences.push_back(sentence(name, known));
  }
  return sentences;
}

std::vector<std::string> unknown_variables() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return unknown_variables(entries);
}

}  // namespace cli
