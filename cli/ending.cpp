// SPDX-License-Identifier: BSD-3-Clause
#include "ending.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <string_view>
#include <tuple>

#include "comm/gather.hpp"
#include "halocline/error.hpp"

namespace cli {
namespace {

using namespace halocline;

constexpr std::size_t most_lines = 8;

/// "rank 3: what it is" as "what it is".
std::string_view without_rank(std::string_view message) {
  constexpr std::string_view word = "rank ";
  if (!message.starts_with(word)) return message;
  const std::size_t end = message.find_first_not_of("0123456789", word.size());
  if (end == word.size() || end == std::string_view::npos || message.substr(end, 2) != ": ") return message;
  return message.substr(end + 2);
}

/// Ranks whose messages are the same but for the rank that they begin with.
struct Group {
  std::string_view message;  ///< without a rank
  std::string_view agreed;   ///< with one; empty: no rank's is
  std::size_t first = 0;     ///< the lowest rank
  std::size_t ranks = 0;
};

std::vector<Group> groups_of(const std::vector<std::string>& messages) {
  std::vector<Group> groups;
  for (std::size_t rank = 0; rank < messages.size(); ++rank) {
    if (messages[rank].empty()) continue;
    const std::string_view message = without_rank(messages[rank]);
    auto group = std::ranges::find(groups, message, &Group::message);
    if (group == groups.end()) group = groups.insert(group, Group{message, {}, rank, 0});
    ++group->ranks;
    if (message.size() < messages[rank].size()) group->agreed = messages[rank];
  }
  return groups;
}

std::string line_of(const Group& group, std::size_t ranks) {
  if (ranks == 1) return std::string(group.message);
  if (!group.agreed.empty()) return std::string(group.agreed);
  if (group.ranks == ranks) return std::string(group.message);
  return fmt::format("rank {}: {}", group.first, group.message);
}

/// Whether ranks may still be anywhere after an error of this kind: it is not one that was agreed on, or that follows from
/// what all ranks were given.
bool leaves_ranks_behind(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    return known.kind() != ErrorKind::invalid_argument && known.kind() != ErrorKind::capability &&
           known.kind() != ErrorKind::resource;
  } catch (...) {
    return true;
  }
}

/// How a command ended on one rank.
struct Outcome {
  int code = 0;
  bool leaves_behind = false;
  std::string message;
};

auto members(MaybeConst<Outcome> auto& outcome) {
  return std::tie(outcome.code, outcome.leaves_behind, outcome.message);
}

Outcome outcome_of(const Ended& mine) {
  if (!mine.error) return {mine.code, false, {}};
  return {exit_code_of(mine.error), leaves_ranks_behind(mine.error), message_of(mine.error)};
}

Ending together(const std::vector<Outcome>& all, bool root) {
  Ending ending;
  std::vector<std::string> messages;
  int failed_code = 0;
  for (const Outcome& outcome : all) {
    messages.push_back(outcome.message);
    if (failed_code == 0 && !outcome.message.empty()) failed_code = outcome.code;
    ending.code = std::max(ending.code, outcome.code);
    ending.abandon = ending.abandon || outcome.leaves_behind;
  }
  // The first rank's error is the first line; its code is the job's.
  if (failed_code != 0) ending.code = failed_code;
  if (root) ending.errors = lines_of(messages);
  return ending;
}

}  // namespace

int exit_code_of(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    return known.kind() == ErrorKind::invalid_argument ? exit_usage : exit_failed;
  } catch (...) {
    return exit_failed;
  }
}

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& known) {
    return *known.what() == '\0' ? "an error without a message" : known.what();
  } catch (...) {
    return "an exception of an unknown type";
  }
}

std::vector<std::string> lines_of(const std::vector<std::string>& messages) {
  const std::vector<Group> groups = groups_of(messages);
  std::vector<std::string> lines;
  for (const Group& group : groups) {
    if (lines.size() == most_lines) {
      lines.push_back(fmt::format("{} more errors of other ranks", groups.size() - most_lines));
      break;
    }
    lines.push_back(line_of(group, messages.size()));
  }
  return lines;
}

Ending end_together(comm::RankGroup& group, const Ended& mine, Duration patience) {
  if (mine.error) group.set_timeout(std::min(patience, group.timeout()));
  try {
    return together(comm::gather(group, outcome_of(mine)), group.rank().value() == 0);
  } catch (const Error& absent) {
    // Its own error is more informative than the absence of the other ranks.
    std::vector<std::string> messages(static_cast<std::size_t>(group.size()));
    messages[static_cast<std::size_t>(group.rank().value())] =
        mine.error ? message_of(mine.error)
                   : fmt::format("the command ended here, but not on all ranks: {}", absent.what());
    return {mine.error ? exit_code_of(mine.error) : exit_failed, lines_of(messages), false, true};
  }
}

}  // namespace cli
