// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fstream>
#include <string>
#include <vector>

namespace halocline::bench {

/// A table in a file, that several launches may add to. Rows are there for others to read as soon as they are added.
class Csv {
 public:
  /// Opens for appending; writes the header where the file is new. Throws ResourceError where the file cannot be
  /// written, InvalidArgument where it holds a table of other columns.
  Csv(const std::string& path, const std::vector<std::string>& columns);
  /// One cell a column; throws InternalError for another number.
  void row(const std::vector<std::string>& cells);

 private:
  std::string path_;
  std::size_t columns_;
  std::ofstream file_;
};

}  // namespace halocline::bench
