#pragma once

#include <bitset>

#include "halocline/core/direction.hpp"

namespace halocline {

/// Some of the 26 directions, by Direction::index(): sides of a halo, for one.
using Directions = std::bitset<all_directions.size()>;

}  // namespace halocline
