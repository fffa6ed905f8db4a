// SPDX-License-Identifier: BSD-3-Clause
#include "support/csv.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"

namespace halocline::bench {
namespace {

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (const auto& cell : cells) line += (&cell == cells.data() ? "" : ",") + quoted(cell);
  return line;
}

}  // namespace

Csv::Csv(const std::string& path, const std::vector<std::string>& columns) : path_(path), columns_(columns.size()) {
  const std::string header = line_of(columns);
  std::string found;
  std::getline(std::ifstream(path), found);
  if (!found.empty() && found != header) {
    throw InvalidArgument(
        fmt::format("{} holds the columns '{}'; allowed is a new file, or one with '{}'", path, found, header));
  }
  file_.open(path, std::ios::app);
  if (found.empty()) file_ << header << "\n";
  if (!file_.flush()) throw ResourceError(fmt::format("cannot write {}", path));
}

void Csv::row(const std::vector<std::string>& cells) {
  if (cells.size() != columns_) {
    throw InternalError(fmt::format("a row of {} cells for {} with {} columns", cells.size(), path_, columns_));
  }
  file_ << line_of(cells) << "\n";
  if (!file_.flush()) throw ResourceError(fmt::format("cannot write {}", path_));
}

}  // namespace halocline::bench
