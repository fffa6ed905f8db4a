// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace halocline::layering {

/// The includes that one folder may have.
struct Layer {
  std::set<std::string> folders;
  /// Foreign headers; an entry that ends with '/' matches everything with that prefix.
  std::vector<std::string> foreign;

  [[nodiscard]] bool allows_foreign(const std::string& header) const;
};

using Table = std::map<std::string, Layer>;

/// Foreign headers that are reserved for some files.
struct Reserved {
  std::vector<std::string> files;  ///< relative to the root; '*' matches any characters
  std::vector<std::string> headers;

  [[nodiscard]] bool covers(const std::string& header) const;
  [[nodiscard]] bool allows(const std::string& file) const;
};

/// Reads src/LAYERS. A folder may only name folders of lines above its own, so that the table has no cycle.
/// Throws std::runtime_error with the malformed line.
Table read_table(const std::filesystem::path& file);
/// The stage of each header that lies directly in include/halocline/, by name.
using UserHeaders = std::map<std::string, std::string>;
/// The lines that begin with "user" of the same file. Throws as read_table() does.
UserHeaders read_user_headers(const std::filesystem::path& file, const Table& table);
/// The lines that begin with "only" of the same file.
std::vector<Reserved> read_reserved(const std::filesystem::path& file);

}  // namespace halocline::layering
