// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/report.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/printable.hpp"
#include "fold.hpp"
#include "table.hpp"

namespace cli::doctor {
namespace {

constexpr std::size_t name_columns = 15;
constexpr std::size_t result_columns = 9;
constexpr std::size_t most_parts = 8;
constexpr std::size_t most_named = 8;

std::string list_of(const std::string& what, const std::vector<std::string>& names) {
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most_named)));
  return fmt::format("{}{} {}{}", what, names.size() == 1 ? "" : "s", fmt::join(shown, ", "),
                     names.size() > most_named ? fmt::format(" and {} more", names.size() - most_named) : "");
}

/// The place of ranks: all of them, whole nodes, or single ranks.
std::string where(const std::vector<std::size_t>& members, const std::vector<RankReport>& ranks) {
  if (members.size() == ranks.size()) return {};
  std::map<int, int> size_of_node, members_of_node;
  for (const RankReport& rank : ranks) ++size_of_node[rank.node];
  for (const std::size_t rank : members) ++members_of_node[ranks[rank].node];
  const bool whole =
      std::ranges::all_of(members_of_node, [&](const auto& node) { return node.second == size_of_node[node.first]; });
  std::vector<std::string> names;
  if (whole) {
    std::set<int> named;
    for (const std::size_t rank : members) {
      if (named.insert(ranks[rank].node).second) names.push_back(ranks[rank].node_name);
    }
    return list_of("node", names);
  }
  for (const std::size_t rank : members) names.push_back(fmt::format("{}", rank));
  return list_of("rank", names);
}

struct Same {
  Finding finding;
  std::vector<std::size_t> ranks;
};

/// Ranks with equal findings, the worst first.
std::vector<Same> grouped(std::size_t check, const std::vector<RankReport>& ranks) {
  std::vector<Same> groups;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const Finding& finding = ranks[rank].findings.at(check);
    auto group = std::ranges::find(groups, finding, &Same::finding);
    if (group == groups.end()) group = groups.insert(group, Same{finding, {}});
    group->ranks.push_back(rank);
  }
  const auto was_skipped = [](const Same& same) { return same.finding.status == Status::skipped; };
  if (!std::ranges::all_of(groups, was_skipped)) std::erase_if(groups, was_skipped);
  std::ranges::stable_sort(groups, std::greater<>(), [](const Same& same) { return same.finding.status; });
  return groups;
}

std::string row(const std::string& name, std::string_view result, const std::string& seen) {
  const std::string line = fmt::format("{:<{}}{:<{}}{}", name, name_columns, result, result_columns, seen);
  return folded_line(line, name_columns + result_columns) + "\n";
}

std::string with_place(const Part& part, const std::string& text) {
  const std::string shown = halocline::printable(text);
  return part.where.empty() ? shown : fmt::format("{}: {}", part.where, shown);
}

}  // namespace

std::vector<Line> merged(const std::vector<std::string>& names, const std::vector<RankReport>& ranks) {
  std::vector<Line> lines;
  for (std::size_t check = 0; check < names.size(); ++check) {
    Line line{names[check], {}};
    const auto groups = grouped(check, ranks);
    for (const Same& same : groups) {
      line.parts.push_back({groups.size() == 1 ? "" : where(same.ranks, ranks), same.finding});
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string report_text(const std::vector<Line>& lines) {
  std::string text = row("check", "result", "seen");
  std::map<Status, int> counts;
  for (const Line& line : lines) {
    ++counts[line.status()];
    for (std::size_t i = 0; i < line.parts.size() && i < most_parts; ++i) {
      const Part& part = line.parts[i];
      text += row(i == 0 ? line.name : "", to_string(part.finding.status), with_place(part, part.finding.seen));
      if (!part.finding.fix.empty()) text += row("", "fix", halocline::printable(part.finding.fix));
    }
    if (line.parts.size() > most_parts)
      text += row("", "...", fmt::format("{} more findings", line.parts.size() - most_parts));
  }
  return text + fmt::format("\n{}: {} ok, {} no, {} absent, {} skipped\n", plural(std::ssize(lines), "check"),
                            counts[Status::ok], counts[Status::broken], counts[Status::absent],
                            counts[Status::skipped]);
}

Json report_json(const std::vector<Line>& lines) {
  Json checks = Json::array();
  for (const Line& line : lines) {
    Json found = Json::array();
    for (const Part& part : line.parts) {
      found.push_back({{"where", part.where.empty() ? Json("all ranks") : Json(part.where)},
                       {"result", to_string(part.finding.status)},
                       {"seen", part.finding.seen},
                       {"fix", part.finding.fix.empty() ? Json(nullptr) : Json(part.finding.fix)}});
    }
    checks.push_back({{"name", line.name}, {"result", to_string(line.status())}, {"found", found}});
  }
  return checks;
}

bool all_works(const std::vector<Line>& lines) {
  return std::ranges::none_of(lines, [](const Line& line) { return line.status() == Status::broken; });
}

}  // namespace cli::doctor
