// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "halocline/machine_map.hpp"

// The machine map as a document for programs: UTF-8, indented, keys in a fixed order, so that equal maps give equal text.
namespace halocline::io {

inline constexpr std::string_view machine_schema = "halocline-machine/1";

/// A machine map as a document that machine_from_json() reads back to the same value.
/// Throws InvalidArgument where the map does not pass its check().
[[nodiscard]] std::string to_json(const machine::MachineMap& map);

/// Throws InvalidArgument that names the place in the document, the value and what is allowed
/// ("types[0].links[2].bandwidth is -1; allowed is a finite number above 0"). Keys that are not known, or given twice,
/// are errors, and so is a schema of another version.
[[nodiscard]] machine::MachineMap machine_from_json(std::string_view text);

/// machine_from_json of a file; errors name the file too. Throws ResourceError where it cannot be read.
[[nodiscard]] machine::MachineMap read_machine_file(const std::filesystem::path& path);

}  // namespace halocline::io
