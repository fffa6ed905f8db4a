// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/field.hpp"

#include <gtest/gtest.h>

#include "halocline/error.hpp"

namespace halocline {
namespace {

TEST(Element, names_and_sizes_go_both_ways) {
  for (const auto& [name, bytes] : std::initializer_list<std::pair<const char*, int>>{
           {"i8", 1}, {"u16", 2}, {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"c64", 8}, {"c128", 16}}) {
    const Element element = element_from_string(name);
    EXPECT_EQ(to_string(element), name);
    EXPECT_EQ(bytes_of(element), bytes);
  }
  EXPECT_EQ(element_of<double>(), Element::f64);
  EXPECT_EQ(element_of<unsigned char>(), Element::u8);
  EXPECT_EQ(element_of<std::complex<double>>(), Element::c128);
}

TEST(Element, an_unknown_name_is_refused_with_those_that_are_known) {
  try {
    static_cast<void>(element_from_string("float"));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("'float'; allowed are i8, u8"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace halocline
