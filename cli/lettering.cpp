#include "lettering.hpp"

#include <algorithm>
#include <array>

#include "halocline/core/error.hpp"

namespace cli {
namespace {

constexpr std::int64_t columns = 5;
constexpr std::int64_t rows = 7;

/// Rows from the top, each of five dots, the leftmost in the highest bit.
struct Glyph {
  char letter;
  std::array<unsigned, rows> dots;
};

// clang-format off
constexpr std::array<Glyph, 50> glyphs{{
    {'0', {0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110}},
    {'1', {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110}},
    {'2', {0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111}},
    {'3', {0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110}},
    {'4', {0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010}},
    {'5', {0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110}},
    {'6', {0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110}},
    {'7', {0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000}},
    {'8', {0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110}},
    {'9', {0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100}},
    {'A', {0b01110, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001}},
    {'B', {0b11110, 0b10001, 0b10001, 0b11110, 0b10001, 0b10001, 0b11110}},
    {'C', {0b01110, 0b10001, 0b10000, 0b10000, 0b10000, 0b10001, 0b01110}},
    {'D', {0b11100, 0b10010, 0b10001, 0b10001, 0b10001, 0b10010, 0b11100}},
    {'E', {0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111}},
    {'F', {0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b10000}},
    {'G', {0b01110, 0b10001, 0b10000, 0b10111, 0b10001, 0b10001, 0b01111}},
    {'H', {0b10001, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001}},
    {'I', {0b01110, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110}},
    {'J', {0b00111, 0b00010, 0b00010, 0b00010, 0b00010, 0b10010, 0b01100}},
    {'K', {0b10001, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010, 0b10001}},
    {'L', {0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111}},
    {'M', {0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001}},
    {'N', {0b10001, 0b10001, 0b11001, 0b10101, 0b10011, 0b10001, 0b10001}},
    {'O', {0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110}},
    {'P', {0b11110, 0b10001, 0b10001, 0b11110, 0b10000, 0b10000, 0b10000}},
    {'Q', {0b01110, 0b10001, 0b10001, 0b10001, 0b10101, 0b10010, 0b01101}},
    {'R', {0b11110, 0b10001, 0b10001, 0b11110, 0b10100, 0b10010, 0b10001}},
    {'S', {0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110}},
    {'T', {0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100}},
    {'U', {0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110}},
    {'V', {0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01010, 0b00100}},
    {'W', {0b10001, 0b10001, 0b10001, 0b10101, 0b10101, 0b11011, 0b10001}},
    {'X', {0b10001, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001, 0b10001}},
    {'Y', {0b10001, 0b10001, 0b01010, 0b00100, 0b00100, 0b00100, 0b00100}},
    {'Z', {0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b11111}},
    {'.', {0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b01100}},
    {',', {0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b00100, 0b01000}},
    {':', {0b00000, 0b01100, 0b01100, 0b00000, 0b01100, 0b01100, 0b00000}},
    {'-', {0b00000, 0b00000, 0b00000, 0b11111, 0b00000, 0b00000, 0b00000}},
    {'+', {0b00000, 0b00100, 0b00100, 0b11111, 0b00100, 0b00100, 0b00000}},
    {'/', {0b00001, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b10000}},
    {'>', {0b01000, 0b00100, 0b00010, 0b00001, 0b00010, 0b00100, 0b01000}},
    {'<', {0b00010, 0b00100, 0b01000, 0b10000, 0b01000, 0b00100, 0b00010}},
    {'(', {0b00010, 0b00100, 0b01000, 0b01000, 0b01000, 0b00100, 0b00010}},
    {')', {0b01000, 0b00100, 0b00010, 0b00010, 0b00010, 0b00100, 0b01000}},
    {'_', {0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b11111}},
    {'%', {0b11000, 0b11001, 0b00010, 0b00100, 0b01000, 0b10011, 0b00011}},
    {'#', {0b01010, 0b01010, 0b11111, 0b01010, 0b11111, 0b01010, 0b01010}},
    {'\'', {0b00100, 0b00100, 0b01000, 0b00000, 0b00000, 0b00000, 0b00000}},
}};
// clang-format on

/// A frame, for what has no glyph.
constexpr std::array<unsigned, rows> unknown{0b11111, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11111};
constexpr std::array<unsigned, rows> blank{};

const std::array<unsigned, rows>& dots_of(char letter) {
  if (letter == ' ') return blank;
  if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  for (const Glyph& glyph : glyphs) {
    if (glyph.letter == letter) return glyph.dots;
  }
  return unknown;
}

/// One for each code point; a multi-byte one is some byte that has no glyph.
std::string one_byte_a_letter(std::string_view text) {
  std::string letters;
  for (const char byte : text) {
    const bool continues = (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
    if (!continues) letters += byte;
  }
  return letters;
}

}  // namespace

Picture blank_picture(std::int64_t width, std::int64_t height, Rgb colour) {
  if (width < 1 || height < 1) throw halocline::InternalError("a picture without an area");
  Picture picture{width, height, {}};
  picture.rgb.reserve(static_cast<std::size_t>(3 * width * height));
  for (std::int64_t i = 0; i < width * height; ++i) {
    picture.rgb.insert(picture.rgb.end(), {colour.red, colour.green, colour.blue});
  }
  return picture;
}

void fill(Picture& picture, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height, Rgb colour) {
  for (std::int64_t row = std::max<std::int64_t>(y, 0); row < std::min(y + height, picture.height); ++row) {
    for (std::int64_t column = std::max<std::int64_t>(x, 0); column < std::min(x + width, picture.width); ++column) {
      const auto at = static_cast<std::size_t>(3 * (row * picture.width + column));
      picture.rgb[at] = colour.red;
      picture.rgb[at + 1] = colour.green;
      picture.rgb[at + 2] = colour.blue;
    }
  }
}

std::int64_t text_width(std::string_view text, std::int64_t scale) {
  const auto letters = static_cast<std::int64_t>(one_byte_a_letter(text).size());
  return letters == 0 ? 0 : scale * (letters * (columns + 1) - 1);
}

std::int64_t text_height(std::int64_t scale) { return scale * rows; }

void write_text(Picture& picture, std::int64_t x, std::int64_t y, std::string_view text, std::int64_t scale,
                Rgb colour) {
  for (const char letter : one_byte_a_letter(text)) {
    const auto& dots = dots_of(letter);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        if ((dots[static_cast<std::size_t>(row)] >> (columns - 1 - column) & 1U) == 0) continue;
        fill(picture, x + scale * column, y + scale * row, scale, scale, colour);
      }
    }
    x += scale * (columns + 1);
  }
}

}  // namespace cli
