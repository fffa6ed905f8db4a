#include "layering/table.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace halocline::layering {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

}  // namespace

bool Layer::allows_foreign(const std::string& header) const {
  return std::any_of(foreign.begin(), foreign.end(), [&](const std::string& entry) {
    return entry.back() == '/' ? header.starts_with(entry) : header == entry;
  });
}

Table read_table(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  Table table;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
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

}  // namespace halocline::layering
