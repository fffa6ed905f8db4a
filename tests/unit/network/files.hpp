// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "machine/found_network.hpp"

namespace halocline::machine {

inline std::string text_of(const std::string& file) {
  std::ifstream in(std::string(HALOCLINE_NETWORKS "/") + file);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

inline FoundNetwork network_in(const std::string& text) {
  return read_network(recognise_network(text, "FILE"), text, "FILE");
}

}  // namespace halocline::machine
