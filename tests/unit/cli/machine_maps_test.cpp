// SPDX-License-Identifier: BSD-3-Clause
#include "machine_maps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "halocline/error.hpp"
#include "io/json.hpp"
#include "machine/synthetic.hpp"
#include "support/error_of.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using halocline::test::error_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsSupersetOf;

TEST(MachineMaps, that_come_with_halocline_are_read_by_name) {
  const std::vector<std::string> names = machine_names();
  EXPECT_THAT(names, IsSupersetOf({"dgx-h200", "frontier", "magc-cluster-a", "magc-cluster-b", "puhti", "summit"}));
  for (const std::string& name : names) EXPECT_NO_THROW(read_machine(name).check()) << name;
  EXPECT_EQ(read_machine("summit").types.at(0).device_vertices().size(), 6u);
}

TEST(MachineMaps, a_file_comes_before_a_name) {
  const fs::path own = fs::temp_directory_path() / "halocline-machine-maps-test.json";
  std::ofstream(own) << halocline::io::to_json(halocline::machine::synthetic({.nodes = 3}));
  EXPECT_EQ(read_machine(own.string()).nodes.size(), 3u);
  fs::remove(own);
}

TEST(MachineMaps, that_are_not_there_are_refused_with_those_that_are) {
  const auto refusal = [](const std::string& wanted) {
    return error_of<halocline::InvalidArgument>([&] { return read_machine(wanted); });
  };
  EXPECT_THAT(refusal("sumit"), AllOf(HasSubstr("'sumit'"), HasSubstr("puhti, summit, titan")));
  EXPECT_THAT(refusal(fs::temp_directory_path().string()), HasSubstr("cannot be read"));
  EXPECT_THAT(refusal("../machines/summit"), HasSubstr("allowed is a file or one of c2050-server")) << "no path";
}

}  // namespace
}  // namespace cli
