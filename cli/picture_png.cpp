// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <png.h>

#include "halocline/error.hpp"
#include "picture.hpp"

namespace cli {

bool can_write_png() { return true; }

std::string png_of(const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  std::string png(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t bytes = png.size();
  if (png_image_write_to_memory(&image, png.data(), &bytes, 0, picture.rgb.data(), 0, nullptr) == 0) {
    const std::string reason = static_cast<const char*>(image.message);
    png_image_free(&image);
    throw halocline::ResourceError(fmt::format("no picture can be made: {}", reason));
  }
  png.resize(bytes);
  return png;
}

}  // namespace cli
