// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/posix_file.hpp"

namespace halocline {

/// The names in a folder, without "." and "..". Errors are std::system_error with errno. std::filesystem::directory_iterator ends the
/// process without memory, as it makes its paths in a function that is noexcept (GCC 12).
[[nodiscard]] inline std::vector<std::string> names_in(const std::string& path) {
  const auto close = [](DIR* opened) { ::closedir(opened); };
  const std::unique_ptr<DIR, decltype(close)> folder(::opendir(path.c_str()), close);
  if (!folder) fail_with(errno);
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) fail_with(errno);
  return names;
}

}  // namespace halocline
