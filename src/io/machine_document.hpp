// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "machine/machine_map.hpp"

namespace halocline::io {

/// The document whose text to_json() returns, for programs that make it a part of theirs. Throws InvalidArgument if the map
/// does not pass its check().
[[nodiscard]] nlohmann::ordered_json document_of(const machine::MachineMap& map);

}  // namespace halocline::io
