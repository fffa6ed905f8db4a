// SPDX-License-Identifier: BSD-3-Clause
#include "layering/table.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace halocline::layering {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

/// An entry that ends with '/' matches everything with that prefix.
bool in_list(const std::vector<std::string>& entries, const std::string& header) {
  return std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) {
    return entry.back() == '/' ? header.starts_with(entry) : header == entry;
  });
}

bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] != '*') return !text.empty() && pattern[0] == text[0] && matches(pattern.substr(1), text.substr(1));
  for (std::size_t skipped = 0; skipped <= text.size(); ++skipped) {
    if (matches(pattern.substr(1), text.substr(skipped))) return true;
  }
  return false;
}

constexpr std::string_view only = "only ";
constexpr std::string_view user = "user ";

}  // namespace

bool Layer::allows_foreign(const std::string& header) const { return in_list(foreign, header); }

bool Reserved::covers(const std::string& header) const { return in_list(headers, header); }

bool Reserved::allows(const std::string& file) const {
  return std::any_of(files.begin(), files.end(), [&](const std::string& pattern) { return matches(pattern, file); });
}

Table read_table(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  Table table;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#' || line.starts_with(only) || line.starts_with(user)) continue;
    const auto colon = line.find(':');
    const auto bar = line.find('|');
    if (colon == std::string::npos || bar == std::string::npos || bar < colon) {
      throw std::runtime_error("not '<folder>: <folders> | <foreign headers>': " + line);
    }
    const std::string folder = line.substr(0, colon);
    Layer layer;
    for (const auto& below : words(line.substr(colon + 1, bar - colon - 1))) {
      if (!table.contains(below)) throw std::runtime_error(below + " is not above " + folder + " in the table");
      layer.folders.insert(below);
    }
    layer.foreign = words(line.substr(bar + 1));
    if (!table.emplace(folder, std::move(layer)).second) throw std::runtime_error(folder + " is there twice");
  }
  if (table.empty()) throw std::runtime_error(file.string() + " has no line");
  return table;
}

std::vector<Reserved> read_reserved(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::vector<Reserved> all;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(only)) continue;
    const auto colon = line.find(':');
    if (colon == std::string::npos) throw std::runtime_error("not 'only <files>: <foreign headers>': " + line);
    all.push_back({words(line.substr(only.size(), colon - only.size())), words(line.substr(colon + 1))});
    if (all.back().files.empty() || all.back().headers.empty()) {
      throw std::runtime_error("a file or a header is missing: " + line);
    }
  }
  return all;
}

UserHeaders read_user_headers(const std::filesystem::path& file, const Table& table) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  UserHeaders all;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(user)) continue;
    const auto colon = line.find(':');
    if (colon == std::string::npos) throw std::runtime_error("not 'user <folder>: <headers>': " + line);
    const std::string folder = line.substr(user.size(), colon - user.size());
    if (!table.contains(folder)) throw std::runtime_error("no line of the table is of the folder in: " + line);
    for (const auto& header : words(line.substr(colon + 1))) {
      if (!all.emplace(header, folder).second) throw std::runtime_error(header + " is there twice");
    }
  }
  return all;
}

}  // namespace halocline::layering
