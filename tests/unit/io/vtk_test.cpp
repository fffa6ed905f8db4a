// SPDX-License-Identifier: BSD-3-Clause
#include "io/vtk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "halocline/error.hpp"
#include "support/error_of.hpp"

namespace halocline::io {
namespace {

using test::error_of;
using testing::HasSubstr;

ImageLayout layout_of(const std::vector<ImageArray>& arrays) {
  return image_layout({3, 2, 1}, {0.5, 0, 0}, {1, 2, 4}, arrays);
}

TEST(VtkImage, HasEveryArrayBehindItsNumberOfBytes) {
  const ImageLayout layout = layout_of({{"u", Element::f16, 2}, {"n", Element::i8, 1}});
  ASSERT_EQ(layout.offsets.size(), 2u);
  EXPECT_EQ(layout.offsets[0], static_cast<std::int64_t>(layout.head.size()) + 8);
  EXPECT_EQ(layout.offsets[1], layout.offsets[0] + 6 * 2 * 4 + 8) << "f16 is written as Float32";
  EXPECT_EQ(layout.bytes, layout.offsets[1] + 6 + static_cast<std::int64_t>(layout.tail.size()));
  EXPECT_THAT(layout.head, HasSubstr(R"(WholeExtent="0 3 0 2 0 1" Origin="0.5 0 0" Spacing="1 2 4")"));
  EXPECT_THAT(layout.head, HasSubstr(R"(type="Float32" Name="u" NumberOfComponents="2" format="appended" offset="0")"));
  EXPECT_THAT(layout.head, HasSubstr(R"(type="Int8" Name="n" NumberOfComponents="1" format="appended" offset="56")"));
}

TEST(VtkImage, NamesTheHalvesOfComplexNumbers) {
  const std::string head = layout_of({{"one", Element::c64, 1}, {"two", Element::c128, 2}}).head;
  EXPECT_THAT(head, HasSubstr(R"(NumberOfComponents="2" ComponentName0="re" ComponentName1="im")"));
  EXPECT_THAT(head, HasSubstr(R"(NumberOfComponents="4" ComponentName0="re0" ComponentName1="im0" )"
                              R"(ComponentName2="re1" ComponentName3="im1")"));
}

TEST(VtkImage, HasNamesThatXmlCanContain) {
  EXPECT_THAT(layout_of({{"a<b>&\"c\"", Element::f32, 1}}).head, HasSubstr("Name=\"a&lt;b&gt;&amp;&quot;c&quot;\""));
  EXPECT_EQ(error_of<InvalidArgument>([] {
              return layout_of({{"a\nb", Element::f32, 1}});
            }),
            "field name has the control character 0xa; allowed in output are names without");
}

TEST(VtkImage, HasATypeForEveryElement) {
  for (int i = 0; i <= static_cast<int>(Element::c128); ++i) {
    const auto element = static_cast<Element>(i);
    const VtkType type = vtk_type(element);
    EXPECT_EQ(type.bytes * type.components, element == Element::f16 || element == Element::bf16 ? 4 : bytes_of(element))
        << to_string(element);
  }
  EXPECT_EQ(error_of<InternalError>([] { return vtk_type(static_cast<Element>(99)).bytes; }),
            "an element without a type of VTK");
}

TEST(VtkSeries, IsReadAgain) {
  const std::vector<SeriesStep> steps{{0, 0}, {10, 0.1}, {1234567, 1.0 / 3}};
  EXPECT_EQ(series_from(series_text("a&b", steps), "a&b", "f"), steps);
  EXPECT_TRUE(series_from(series_text("run", {}), "run", "f").empty());
  EXPECT_EQ(image_name("run", 7), "run-000007.vti");
}

TEST(VtkSeries, OfAnotherProgramIsRefused) {
  const std::vector<SeriesStep> steps{{1, 0.5}};
  const std::string text = series_text("run", steps);
  const std::string refusal = "series file 'f' is not one that this output wrote; allowed with resume is its own";
  std::string other = text;
  other.replace(other.find("part=\"0\""), 8, "part=\"1\"");
  for (const std::string& wrong :
       {other, text + "\n", text.substr(0, text.size() - 2), std::string("<DataSet "), std::string()}) {
    EXPECT_EQ(error_of<InvalidArgument>([&] { return series_from(wrong, "run", "f"); }), refusal) << wrong;
  }
  EXPECT_EQ(error_of<InvalidArgument>([&] { return series_from(text, "walk", "f"); }), refusal);
}

}  // namespace
}  // namespace halocline::io
