// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/endings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace halocline::simulation {
namespace {

using namespace std::chrono_literals;

/// Ranks that are left end so long after a fault at most: one wait of an exchange, one of close() or of a collective.
constexpr Duration most_after_fault = 2 * timeout + 1s;
/// A rank that leaves is noticed without a timeout.
constexpr Duration most_after_leaving = 1s;

std::string text_of(const Ending& ending, int rank) {
  using How = Ending::How;
  switch (ending.how) {
    case How::completed: return fmt::format("\n  rank {}: completed at {} us", rank, ending.at.count() / 1000);
    case How::killed: return fmt::format("\n  rank {}: left at {} us", rank, ending.at.count() / 1000);
    default:
      return fmt::format("\n  rank {}: {} error at {} us: {}", rank, to_string(ending.kind), ending.at.count() / 1000,
                         ending.text);
  }
}

/// Errors that only say that another rank is gone or late.
bool of_others(ErrorKind kind) { return kind == ErrorKind::communication || kind == ErrorKind::deadline; }

}  // namespace

std::string judge(const Life& life, const std::vector<Ending>& endings, const std::optional<Time>& fault) {
  using How = Ending::How;
  std::string all;
  for (std::size_t rank = 0; rank < endings.size(); ++rank) all += text_of(endings[rank], static_cast<int>(rank));
  for (std::size_t rank = 0; rank < endings.size(); ++rank) {
    const Ending& ending = endings[rank];
    if (ending.wrong > 0) {
      return fmt::format("wrong: {} cells on rank {}; {}{}", ending.wrong, rank, ending.first_wrong, all);
    }
    if (ending.how == How::unexpected) return fmt::format("foreign: rank {} ended with another error{}", rank, all);
    const Time most = life.fault == Fault::killed    ? most_after_leaving
                      : life.fault == Fault::stopped ? most_after_fault + stop
                                                     : most_after_fault;
    if (fault && ending.at > *fault + most) {
      return fmt::format("late: rank {} ended {} ms after the fault{}", rank, (ending.at - *fault).count() / 1'000'000,
                         all);
    }
  }
  const auto completed = std::ranges::count(endings, How::completed, &Ending::how);
  if (!fault) {
    return completed == std::ssize(endings) ? ""
                                            : fmt::format("error: without a fault, ranks ended with errors{}", all);
  }
  const bool agree = std::ranges::all_of(endings, [&](const Ending& ending) {
    return ending.how == How::error && ending.kind == endings.front().kind && ending.text == endings.front().text;
  });
  switch (life.fault) {
    case Fault::refused_mapping:
    case Fault::refused_export:
    case Fault::failed_allocation:
      if (agree || completed == std::ssize(endings)) return "";
      return fmt::format("disagree: ranks ended with different errors{}", all);
    case Fault::swapped:
      if (completed == std::ssize(endings)) return fmt::format("missed: no rank noticed that one had swapped{}", all);
      [[fallthrough]];
    case Fault::killed:
    case Fault::stopped:
    case Fault::failed_operation:
      // In set-up, and in close(), ranks agree on the error.
      if (agree) return "";
      for (std::size_t rank = 0; rank < endings.size(); ++rank) {
        const Ending& ending = endings[rank];
        // A failed rank notifies the other ends of its ports, which so need no deadline. With two domains only one of them has failed.
        if (life.lingers && life.domains == 1 && ending.kind == ErrorKind::deadline &&
            ending.text.find("(net, ") != std::string::npos) {
          return fmt::format("untold: rank {} waited for a port of a rank that had failed{}", rank, all);
        }
        const bool faulty = std::cmp_equal(rank, life.faulty_rank);
        if (ending.how == How::error && !of_others(ending.kind) && !(faulty && ending.kind == ErrorKind::device) &&
            !(life.fault == Fault::swapped && ending.kind == ErrorKind::protocol)) {
          return fmt::format("kind: rank {} ended with an error of another kind{}", rank, all);
        }
      }
      return "";
    case Fault::none: break;
  }
  return "";
}

}  // namespace halocline::simulation
