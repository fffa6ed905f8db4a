// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/error.hpp"
#include "picture.hpp"

namespace cli {

bool can_write_png() { return false; }

std::string png_of(const Picture&) {
  throw halocline::CapabilityError(
      "no picture can be made: this build is without libpng (install libpng-dev and configure with HALOCLINE_PNG=ON)");
}

}  // namespace cli
