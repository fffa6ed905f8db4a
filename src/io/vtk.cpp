// SPDX-License-Identifier: BSD-3-Clause
#include "io/vtk.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "core/bytes.hpp"
#include "halocline/error.hpp"

namespace halocline::io {
namespace {

constexpr std::string_view series_head =
    "<?xml version=\"1.0\"?>\n"
    "<VTKFile type=\"Collection\" version=\"1.0\">\n"
    "  <Collection>\n";
constexpr std::string_view series_tail =
    "  </Collection>\n"
    "</VTKFile>\n";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      throw InvalidArgument(
          fmt::format("field name has the control character {:#x}; allowed in output are names without", c));
    }
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string component_names(const ImageArray& array) {
  if (vtk_type(array.element).components == 1) return {};
  std::string names;
  for (int c = 0; c < array.components; ++c) {
    const std::string suffix = array.components == 1 ? "" : std::to_string(c);
    names += fmt::format(" ComponentName{}=\"re{}\" ComponentName{}=\"im{}\"", 2 * c, suffix, 2 * c + 1, suffix);
  }
  return names;
}

std::string series_line(std::string_view stem, const SeriesStep& step) {
  return fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", step.time,
                     escaped(image_name(stem, step.step)));
}

/// Takes the text between two others from the front; empty if it is not there.
std::string_view between(std::string_view line, std::string_view before, std::string_view after) {
  const auto first = line.find(before);
  if (first == std::string_view::npos) return {};
  line.remove_prefix(first + before.size());
  return line.substr(0, std::min(line.find(after), line.size()));
}

template <typename Number>
Number number_of(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

VtkType vtk_type(Element element) {
  switch (element) {
    case Element::i8: return {"Int8", 1};
    case Element::u8: return {"UInt8", 1};
    case Element::i16: return {"Int16", 2};
    case Element::u16: return {"UInt16", 2};
    case Element::i32: return {"Int32", 4};
    case Element::u32: return {"UInt32", 4};
    case Element::i64: return {"Int64", 8};
    case Element::u64: return {"UInt64", 8};
    case Element::f16:
    case Element::bf16:
    case Element::f32: return {"Float32", 4};
    case Element::f64: return {"Float64", 8};
    case Element::c64: return {"Float32", 4, 2};
    case Element::c128: return {"Float64", 8, 2};
  }
  throw InternalError("an element without a type of VTK");
}

ImageLayout image_layout(const Vec3& extent, const std::array<double, 3>& origin, const std::array<double, 3>& spacing,
                         std::span<const ImageArray> arrays) {
  const std::string cells = fmt::format("0 {} 0 {} 0 {}", extent.x, extent.y, extent.z);
  ImageLayout layout;
  layout.head = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n"
      "  <ImageData WholeExtent=\"{}\" Origin=\"{} {} {}\" Spacing=\"{} {} {}\">\n"
      "    <Piece Extent=\"{}\">\n"
      "      <CellData>\n",
      std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian", cells, origin[0], origin[1], origin[2],
      spacing[0], spacing[1], spacing[2], cells);
  Bytes appended;
  for (const ImageArray& array : arrays) {
    const VtkType type = vtk_type(array.element);
    appended += sizeof(std::uint64_t);
    const auto what = [] { return std::string("an image file"); };
    const std::int64_t offset = appended.value(what);
    layout.offsets.push_back(offset);
    layout.head += fmt::format(
        "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"{} format=\"appended\" offset=\"{}\"/>\n",
        type.name, escaped(array.name), type.components * array.components, component_names(array),
        offset - static_cast<std::int64_t>(sizeof(std::uint64_t)));
    appended += Bytes(checked_volume(extent)) * array.cell_bytes();
  }
  layout.head +=
      "      </CellData>\n"
      "    </Piece>\n"
      "  </ImageData>\n"
      "  <AppendedData encoding=\"raw\">\n"
      "_";
  layout.tail =
      "\n"
      "  </AppendedData>\n"
      "</VTKFile>\n";
  const auto head = static_cast<std::int64_t>(layout.head.size());
  for (std::int64_t& offset : layout.offsets) offset += head;
  appended += head;
  appended += static_cast<std::int64_t>(layout.tail.size());
  layout.bytes = appended.value([] { return std::string("an image file"); });
  return layout;
}

std::string image_name(std::string_view stem, std::int64_t step) { return fmt::format("{}-{:06}.vti", stem, step); }

std::string series_text(std::string_view stem, std::span<const SeriesStep> steps) {
  std::string text(series_head);
  for (const SeriesStep& step : steps) text += series_line(stem, step);
  return text += series_tail;
}

std::vector<SeriesStep> series_from(std::string_view text, std::string_view stem, const std::string& path) {
  std::vector<SeriesStep> steps;
  const std::string file = fmt::format("file=\"{}-", escaped(stem));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.find("<DataSet ") == std::string_view::npos) continue;
    steps.push_back({number_of<std::int64_t>(between(line, file, ".vti\"")),
                     number_of<double>(between(line, "timestep=\"", "\""))});
  }
  // Whatever was not understood is missing here.
  if (series_text(stem, steps) != text) {
    throw InvalidArgument(
        fmt::format("series file '{}' is not one that this output wrote; allowed with resume is its own", path));
  }
  return steps;
}

}  // namespace halocline::io
