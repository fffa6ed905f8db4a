#include <fmt/core.h>
#include <png.h>

#include <cerrno>
#include <cstring>

#include "halocline/core/error.hpp"
#include "picture.hpp"

namespace cli {

bool can_write_png() { return true; }

void write_png(const Picture& picture, const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  errno = 0;
  if (png_image_write_to_file(&image, path.c_str(), 0, picture.rgb.data(), 0, nullptr) == 0) {
    const std::string reason = errno != 0 ? std::strerror(errno) : image.message;
    png_image_free(&image);
    throw halocline::ResourceError(fmt::format("picture '{}' cannot be written: {}", path, reason));
  }
}

}  // namespace cli
