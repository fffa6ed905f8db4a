// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <map>
#include <set>
#include <utility>

#include "machine/network/infiniband.hpp"
#include "machine/network/readers.hpp"
#include "machine/network/text.hpp"

namespace halocline::machine::network {
namespace {

/// The text between the next two quotes from `at` on; moves `at` behind them.
std::string_view quoted(std::string_view line, std::size_t& from, const At& at) {
  const auto open = line.find('"', from);
  const auto close = open == std::string_view::npos ? open : line.find('"', open + 1);
  if (close == std::string_view::npos) refuse_at(at, "a name in quotes is missing");
  from = close + 1;
  return line.substr(open + 1, close - open - 1);
}

/// Of a port whose link is not described: 0.
double rate_of(std::string_view line, const At& at) {
  const auto last = line.find_last_of(" \t");
  const std::string_view word = last == std::string_view::npos ? line : line.substr(last + 1);
  const auto x = word.find('x');
  if (x == std::string_view::npos || x == 0 || word.find_first_not_of("0123456789") != x) return 0;
  // Bytes a second of one lane, without the coding: 8b/10b up to QDR, 64b/66b from FDR10 on.
  static const std::map<std::string_view, double> lanes{{"SDR", 0.25e9},   {"DDR", 0.5e9},       {"QDR", 1e9},
                                                        {"FDR10", 1.25e9}, {"FDR", 13.64e9 / 8}, {"EDR", 25e9 / 8},
                                                        {"HDR", 50e9 / 8}, {"NDR", 100e9 / 8},   {"XDR", 200e9 / 8}};
  const auto lane = lanes.find(word.substr(x + 1));
  if (lane == lanes.end())
    refuse_at(at, fmt::format("'{}' is no width and speed of a link; allowed is, for example, 4xEDR", word));
  return positive(word.substr(0, x), "the width of a link", at) * lane->second;
}

class IbnetReader {
 public:
  explicit IbnetReader(std::string_view file) : file_(file) {}

  void read(std::string_view line) {
    ++at_line_;
    line = trimmed(line);
    if (line.empty() || line.front() == '#') return;
    if (line.starts_with("Switch") || line.starts_with("Ca") || line.starts_with("Rt")) {
      begin(line);
    } else if (line.front() == '[') {
      link(line);
    } else if (line.find('=') != std::string_view::npos) {
      current_.clear();  // vendid=..., before the next node
    } else if (!line.starts_with("Non-Chassis") && !line.starts_with("Chassis")) {
      refuse_at(at(), fmt::format("'{}'; allowed is a Switch, a Ca, or a port such as [1]", line));
    }
  }

  [[nodiscard]] Subnet result() && {
    for (const auto& [name, line] : mentioned_) {
      if (!subnet_.nodes.contains(name)) refuse_at({file_, line}, fmt::format("'{}' is not described", name));
    }
    // Routers, and the units of switches that reduce, are no hosts.
    for (const std::string& name : ignored_) subnet_.nodes.erase(name);
    for (auto& [name, node] : subnet_.nodes) {
      std::erase_if(node.links, [this](const Subnet::Link& link) { return ignored_.contains(link.peer); });
    }
    return std::move(subnet_);
  }
  [[nodiscard]] At at() const { return {file_, at_line_}; }

 private:
  void begin(std::string_view line) {
    std::size_t from = 0;
    const std::string name(quoted(line, from, at()));
    std::string_view description;
    if (line.find('"', from) != std::string_view::npos) description = quoted(line, from, at());
    const bool is_switch = line.starts_with("Switch");
    current_ = name;
    Subnet::Node node{
        is_switch, std::string(is_switch ? description : description.substr(0, description.find(' '))), at_line_, {}};
    if (!is_switch && node.label.empty())
      refuse_at(at(), fmt::format("'{}' has no description, which hosts are named by", name));
    if (line.starts_with("Rt") || description.find("Aggregation Node") != std::string_view::npos) ignored_.insert(name);
    if (!subnet_.nodes.emplace(name, std::move(node)).second)
      refuse_at(at(), fmt::format("'{}' is described twice", name));
  }

  void link(std::string_view line) {
    if (current_.empty()) refuse_at(at(), "a port without a Switch or Ca before it");
    std::size_t from = 0;
    const std::string peer(quoted(line, from, at()));
    mentioned_.emplace(peer, at_line_);
    subnet_.nodes.at(current_).links.push_back({peer, rate_of(line, at())});
  }

  std::string_view file_;
  int at_line_ = 0;
  std::string current_;
  std::map<std::string, int> mentioned_;
  std::set<std::string> ignored_;
  Subnet subnet_;
};

}  // namespace

FoundNetwork read_ibnetdiscover(std::string_view text, std::string_view file) {
  IbnetReader reader(file);
  for (const std::string_view line : lines_of(text)) reader.read(line);
  const At end = reader.at();
  SwitchTree tree = tree_of(std::move(reader).result(), end);
  tree.notes.insert(tree.notes.begin(),
                    fmt::format("network: ibnetdiscover, {}; rates are these of links without coding", file));
  return network_of(tree);
}

}  // namespace halocline::machine::network
