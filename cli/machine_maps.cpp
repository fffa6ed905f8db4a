// SPDX-License-Identifier: BSD-3-Clause
#include "machine_maps.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/folder.hpp"
#include "core/printable.hpp"
#include "core/program_folder.hpp"
#include "halocline/error.hpp"
#include "io/json.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* suffix = ".json";

/// Seen from this program, in the build folder and where it is installed.
fs::path folder_of_maps() { return halocline::program_folder() / HALOCLINE_MACHINE_MAPS; }

/// The maps that come with Halocline, in order.
struct Maps {
  std::vector<std::string> names;
  std::string why_none;  ///< where the folder cannot be read
};

Maps found_maps() {
  Maps maps;
  try {
    for (const fs::path file : halocline::names_in(folder_of_maps().string())) {
      if (file.extension() == suffix) maps.names.push_back(file.stem().string());
    }
  } catch (const std::system_error& error) {
    maps.why_none = ": " + error.code().message();
  }
  std::ranges::sort(maps.names);
  return maps;
}

}  // namespace

std::vector<std::string> machine_names() { return found_maps().names; }

halocline::machine::MachineMap read_machine(const std::string& file_or_name) {
  std::error_code ignored;
  const bool file = fs::exists(file_or_name, ignored) && !fs::is_directory(file_or_name, ignored);
  if (file) return halocline::io::read_machine_file(file_or_name);
  const auto [names, why_none] = found_maps();
  if (std::binary_search(names.begin(), names.end(), file_or_name)) {
    return halocline::io::read_machine_file(folder_of_maps() / (file_or_name + suffix));
  }
  const std::string others = names.empty() ? fmt::format("; no map that comes with Halocline was found in {}{}",
                                                         folder_of_maps().string(), why_none)
                                           : fmt::format(" or one of {}", fmt::join(names, ", "));
  throw halocline::InvalidArgument(fmt::format("machine file '{}' cannot be read; allowed is a file{}",
                                               halocline::printable(file_or_name, 200), others));
}

}  // namespace cli
