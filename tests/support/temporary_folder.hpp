// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace halocline::test {

/// A new folder, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = testing::TempDir() + "halocline-test-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The names of its files, sorted.
  [[nodiscard]] static std::vector<std::string> names(const std::filesystem::path& folder) {
    std::vector<std::string> all;
    for (const auto& file : std::filesystem::directory_iterator(folder)) all.push_back(file.path().filename().string());
    std::ranges::sort(all);
    return all;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace halocline::test
