#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "picture.hpp"

// Letters of 5 x 7 dots, so that a picture can say what it shows without any font being installed. Small letters are
// drawn as capitals; what has no glyph is a frame.
namespace cli {

/// All of one colour.
[[nodiscard]] Picture blank_picture(std::int64_t width, std::int64_t height, Rgb colour);
/// A rectangle; x, y: its upper left corner. What is outside of the picture is left out.
void fill(Picture& picture, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height, Rgb colour);

/// Pixels; scale: of a dot, 1 or more.
[[nodiscard]] std::int64_t text_width(std::string_view text, std::int64_t scale);
[[nodiscard]] std::int64_t text_height(std::int64_t scale);
/// One line; x, y: the upper left corner of its first letter.
void write_text(Picture& picture, std::int64_t x, std::int64_t y, std::string_view text, std::int64_t scale,
                Rgb colour);

}  // namespace cli
