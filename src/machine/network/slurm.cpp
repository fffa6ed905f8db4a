// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/limits.hpp"
#include "machine/network/readers.hpp"
#include "machine/network/text.hpp"

namespace halocline::machine::network {
namespace {

/// A switch, a block or an aggregated block of the file.
struct Entry {
  At at;
  std::vector<std::string> parts;  ///< switches or blocks below it
  std::vector<std::string> nodes;
  bool aggregated = false;
};

struct Document {
  std::map<std::string, Entry> entries;
  std::vector<std::string> order;
  std::vector<double> block_sizes;
  bool blocks = false;
  std::int64_t names = 0;  ///< that the entries have
  std::int64_t bytes = 0;  ///< of all names of lists, also of these that no entry has
};

/// The names of a list. A few brackets stand for many names, so that all lists together are limited.
std::vector<std::string> names_of(std::string_view list, const At& at, Document& document) {
  std::vector<std::string> names = hostlist(list, at);
  for (const std::string& name : names) document.bytes += std::ssize(name);
  if (document.bytes > limits::file_bytes)
    refuse_at(at, fmt::format("names of more than {} bytes in all", limits::file_bytes));
  return names;
}

/// key=value words of a line; comments removed, keys in lower case.
std::vector<std::pair<std::string, std::string_view>> pairs_of(std::string_view line, const At& at) {
  std::vector<std::pair<std::string, std::string_view>> pairs;
  for (line = trimmed(line.substr(0, line.find('#'))); !line.empty();) {
    const auto end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, end);
    line = trimmed(line.substr(end));
    const auto equals = word.find('=');
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == word.size()) {
      refuse_at(at, fmt::format("'{}'; allowed are words such as SwitchName=s0 and Nodes=tux[0-3]", word));
    }
    pairs.emplace_back(lower(word.substr(0, equals)), word.substr(equals + 1));
  }
  return pairs;
}

void read_line(std::string_view line, const At& at, Document& document) {
  static const std::set<std::string> without_meaning{"level", "linkspeed", "blockindex", "blocksize"};
  std::string name;
  Entry entry{at, {}, {}, false};
  for (const auto& [key, value] : pairs_of(line, at)) {
    if (key == "switchname" || key == "blockname" || key == "aggregatedblock") {
      name = value;
      document.blocks = document.blocks || key != "switchname";
      // scontrol prints the blocks of an aggregated one as its name.
      entry.aggregated = key == "aggregatedblock";
      if (entry.aggregated) entry.parts = names_of(value, at, document);
    } else if (key == "switches") {
      entry.parts = names_of(value, at, document);
    } else if (key == "nodes") {
      entry.nodes = names_of(value, at, document);
    } else if (key == "blocksizes") {
      for (const std::string& size : names_of(value, at, document))
        document.block_sizes.push_back(positive(size, "BlockSizes", at));
    } else if (!without_meaning.contains(key)) {
      refuse_at(at, fmt::format("'{}' is no key of a tree or of blocks", key));
    }
  }
  if (name.empty()) {
    if (!entry.parts.empty() || !entry.nodes.empty()) refuse_at(at, "a line without SwitchName or BlockName");
    return;
  }
  if (entry.parts.empty() && entry.nodes.empty())
    refuse_at(at, fmt::format("'{}' has neither switches nor nodes", name));
  // What is below the switches, again, as scontrol prints it.
  if (!entry.parts.empty()) entry.nodes.clear();
  document.names += std::ssize(entry.parts) + std::ssize(entry.nodes);
  if (document.names > limits::nodes)
    refuse_at(at, fmt::format("more than {} nodes or switches below others in all", limits::nodes));
  if (!document.entries.emplace(name, std::move(entry)).second)
    refuse_at(at, fmt::format("'{}' is described twice", name));
  document.order.push_back(name);
}

/// Aggregated blocks list all their blocks: puts smaller ones between the larger and the blocks.
void nest(Document& document) {
  std::vector<std::string> aggregated;
  for (const std::string& name : document.order) {
    if (document.entries.at(name).aggregated) aggregated.push_back(name);
  }
  std::ranges::stable_sort(aggregated, {},
                           [&](const std::string& name) { return document.entries.at(name).parts.size(); });
  std::map<std::string, std::string> top;  // by block
  for (const std::string& name : aggregated) {
    std::vector<std::string> parts;
    std::set<std::string> taken;
    for (const std::string& block : document.entries.at(name).parts) {
      std::string& over = top[block];
      const std::string& part = over.empty() ? block : over;
      if (taken.insert(part).second) parts.push_back(part);
      over = name;
    }
    document.entries.at(name).parts = std::move(parts);
  }
}

/// Adds an entry and what is below it to a tree; returns its position.
int add(const Document& document, const std::string& name, const At& from, std::int64_t depth,
        std::set<std::string>& used, SwitchTree& tree) {
  if (depth > limits::fabric_levels)
    refuse_at(from, fmt::format("switch '{}' is below more than {} others", name, limits::fabric_levels));
  const auto found = document.entries.find(name);
  if (found == document.entries.end()) refuse_at(from, fmt::format("switch '{}' is not described", name));
  if (!used.insert(name).second)
    refuse_at(from, fmt::format("switch '{}' is below two switches; allowed is a tree", name));
  const auto position = static_cast<int>(tree.switches.size());
  tree.switches.push_back({name, {}, found->second.nodes, {}});
  for (const std::string& part : found->second.parts) {
    const int child = add(document, part, found->second.at, depth + 1, used, tree);
    tree.switches[static_cast<std::size_t>(position)].children.push_back(child);
  }
  return position;
}

/// Joins contiguous blocks as BlockSizes has it: of sizes 30,120 each four blocks of a level are one of the next.
std::vector<int> joined(const std::vector<int>& parts, std::size_t each, std::size_t level, SwitchTree& tree) {
  if (each < 2 || parts.size() <= each) return parts;
  std::vector<int> larger;
  for (std::size_t p = 0; p < parts.size(); p += each) {
    larger.push_back(static_cast<int>(tree.switches.size()));
    const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(p);
    tree.switches.push_back({fmt::format("blocks of level {}, {}", level, larger.size()),
                             {begin, begin + static_cast<std::ptrdiff_t>(std::min(each, parts.size() - p))},
                             {},
                             {}});
  }
  return larger;
}

}  // namespace

FoundNetwork read_slurm(std::string_view text, std::string_view file) {
  Document document;
  int number = 0;
  std::string held;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    held += line;
    if (held.ends_with('\\')) {  // goes on in the next line
      held.back() = ' ';
      continue;
    }
    // Names in the entries are copies, so that `held` may change.
    read_line(held, {file, number}, document);
    held.clear();
  }
  if (!held.empty()) refuse_at({file, number}, "the last line ends with a backslash");
  if (document.entries.empty()) refuse_at({file, std::max(number, 1)}, "no SwitchName and no BlockName");

  nest(document);
  std::set<std::string> below;
  for (const auto& [name, entry] : document.entries) below.insert(entry.parts.begin(), entry.parts.end());
  SwitchTree tree;
  tree.switches.push_back({"core", {}, {}, {}});
  std::set<std::string> used;
  std::vector<int> roots;
  for (const std::string& name : document.order) {
    if (!below.contains(name)) roots.push_back(add(document, name, document.entries.at(name).at, 0, used, tree));
  }
  for (const std::string& name : document.order) {
    if (!used.contains(name)) refuse_at(document.entries.at(name).at, fmt::format("switch '{}' is below itself", name));
  }
  const auto& sizes = document.block_sizes;
  for (std::size_t l = 1; l < sizes.size(); ++l) {
    if (sizes[l] <= sizes[l - 1]) refuse_at({file, number}, "BlockSizes do not grow");
    const double each = std::min(sizes[l] / sizes[l - 1], static_cast<double>(limits::nodes));
    roots = joined(roots, static_cast<std::size_t>(each), l, tree);
  }
  if (roots.size() == 1) {
    std::swap(tree.switches.front(), tree.switches[static_cast<std::size_t>(roots.front())]);
  } else {
    tree.switches.front().children = roots;
    tree.notes.push_back(
        fmt::format("{} {} have nothing above them in the file: assumed to meet in a core that is never the bottleneck",
                    roots.size(), document.blocks ? "blocks" : "switches"));
  }
  tree.notes.insert(tree.notes.begin(),
                    fmt::format("network: Slurm's {}, {}", document.blocks ? "blocks" : "tree of switches", file));
  return network_of(tree);
}

}  // namespace halocline::machine::network
