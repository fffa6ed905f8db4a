// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/planted.hpp"

#include <cstdlib>

namespace halocline::simulation {

bool planted(int number) {
  static const int chosen = [] {
    const char* text = std::getenv("HALOCLINE_PLANTED");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return number == chosen;
}

}  // namespace halocline::simulation
