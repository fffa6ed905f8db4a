// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "io/vtk.hpp"

namespace halocline {

/// The cells of a snapshot's part as an image stores them: the components of a cell together, f16 and bf16 as floats. Empty if that is
/// what they are.
[[nodiscard]] std::vector<std::byte> image_cells(std::span<const std::byte> cells, const io::ImageArray& array);

}  // namespace halocline
