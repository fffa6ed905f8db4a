// SPDX-License-Identifier: BSD-3-Clause
#include "core/removed_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "support/temporary_folder.hpp"

namespace halocline {
namespace {

class RemovedFiles : public testing::Test {
 protected:
  [[nodiscard]] std::string made(const std::string& name) const {
    const auto path = folder_.path() / name;
    std::ofstream(path) << "half of it";
    return path.string();
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(RemovedFiles, AreRemovedAtTheEndOfTheirScope) {
  const std::string path = made("a");
  {
    const RemovedFile file(path);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(RemovedFiles, OfOpenScopesAloneAreRemovedWhereAProcessEnds) {
  const std::array paths{made("a"), made("b"), made("c"), made("d")};
  std::array<std::optional<RemovedFile>, 4> files;
  for (std::size_t i = 0; i < paths.size(); ++i) files[i].emplace(paths[i]);
  // The last, one in between, and the first of the list: what is made again is another's file.
  for (const std::size_t i : {3U, 1U, 0U}) {
    files[i].reset();
    std::ofstream(paths[i]) << "of another";
  }
  RemovedFile::remove_all();
  for (const std::size_t i : {0U, 1U, 3U}) EXPECT_TRUE(std::filesystem::exists(paths[i])) << paths[i];
  EXPECT_FALSE(std::filesystem::exists(paths[2]));
}

}  // namespace
}  // namespace halocline
