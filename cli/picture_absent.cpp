#include <fmt/core.h>

#include "halocline/core/error.hpp"
#include "picture.hpp"

namespace cli {

bool can_write_png() { return false; }

void write_png(const Picture&, const std::string& path) {
  throw halocline::CapabilityError(
      fmt::format("picture '{}' cannot be written: this build is without libpng (install libpng-dev and "
                  "configure with HALOCLINE_PNG=ON)",
                  path));
}

}  // namespace cli
