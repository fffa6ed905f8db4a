// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/box.hpp"
#include "halocline/field.hpp"

// VTK's XML files, as https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html describes them: ImageData with raw
// appended arrays, and collections of time steps.
namespace halocline::io {

/// A type of VTK that holds the values of an Element: f16 and bf16 are converted to Float32, a complex number is two components.
struct VtkType {
  std::string_view name;  ///< "Float32"
  std::int64_t bytes = 0;
  int components = 1;  ///< of one element
};
[[nodiscard]] VtkType vtk_type(Element element);

/// Cell data of an image: a value of each component for each cell, components of a cell together, x fastest.
struct ImageArray {
  std::string name;
  Element element = Element::f32;
  int components = 1;

  [[nodiscard]] std::int64_t cell_bytes() const {
    return vtk_type(element).bytes * vtk_type(element).components * components;
  }
};

/// The file of an image, except for the arrays' data.
struct ImageLayout {
  std::string head;  ///< at the begin of the file
  std::vector<std::int64_t>
      offsets;  ///< of each array's data in the file; before it is its number of bytes, as an UInt64
  std::string tail;
  std::int64_t bytes = 0;  ///< of the whole file; the tail is at its end
};
/// Throws InvalidArgument for a name with a control character, which XML cannot contain.
[[nodiscard]] ImageLayout image_layout(const Vec3& extent, const std::array<double, 3>& origin,
                                       const std::array<double, 3>& spacing, std::span<const ImageArray> arrays);

/// A time step of a series: an image "<stem>-<step>.vti" in the folder of the series.
struct SeriesStep {
  std::int64_t step = 0;
  double time = 0;
  friend bool operator==(const SeriesStep&, const SeriesStep&) = default;
};
[[nodiscard]] std::string image_name(std::string_view stem, std::int64_t step);
[[nodiscard]] std::string series_text(std::string_view stem, std::span<const SeriesStep> steps);
/// The steps of a text from series_text() with the same stem. Throws InvalidArgument "<path> ..." for any other text.
[[nodiscard]] std::vector<SeriesStep> series_from(std::string_view text, std::string_view stem,
                                                  const std::string& path);

}  // namespace halocline::io
