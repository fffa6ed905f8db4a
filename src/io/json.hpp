// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "machine/machine_map.hpp"

// The machine map as a document for programs: UTF-8, indented, with keys in a fixed order, so that equal maps give
// equal text.
namespace halocline::io {

inline constexpr std::string_view machine_schema = "halocline-machine/1";

/// Returns a machine map as a document from which machine_from_json() reads the same value. Throws InvalidArgument if
/// the map does not pass its check().
[[nodiscard]] std::string to_json(const machine::MachineMap& map);

/// Throws InvalidArgument with the place in the document, the value and what is allowed ("types[0].links[2].bandwidth
/// is -1; allowed is a finite number above 0"). Unknown keys, duplicate keys and a schema of another version are
/// errors.
[[nodiscard]] machine::MachineMap machine_from_json(std::string_view text);

/// machine_from_json for a file; errors contain the file name too. Throws ResourceError if the file cannot be read.
[[nodiscard]] machine::MachineMap read_machine_file(const std::filesystem::path& path);

}  // namespace halocline::io
