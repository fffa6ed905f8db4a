// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "io/json_value.hpp"
#include "machine/machine_map.hpp"

namespace halocline::io {

/// The document whose text to_json() returns, for programs that make it a part of theirs. Throws InvalidArgument if the map
/// does not pass its check().
[[nodiscard]] Json document_of(const machine::MachineMap& map);

}  // namespace halocline::io
