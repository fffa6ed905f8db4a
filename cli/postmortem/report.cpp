// SPDX-License-Identifier: BSD-3-Clause
#include "postmortem/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "core/printable.hpp"
#include "halocline/error.hpp"
#include "table.hpp"

namespace cli::postmortem {
namespace {

using halocline::InternalError;
using halocline::printable;

/// Longer lists end with "and N more".
constexpr std::size_t most_named = 16;
constexpr std::size_t most_waits = 8;

std::string list_of(const std::vector<std::int64_t>& ranks) {
  std::string text;
  const std::size_t named = std::min(ranks.size(), most_named);
  for (std::size_t i = 0; i < named; ++i) {
    if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
    text += fmt::format("{}", ranks[i]);
  }
  if (named < ranks.size()) text += fmt::format(" and {} more", ranks.size() - named);
  return text;
}

std::string ranks_text(const std::vector<std::int64_t>& ranks, const char* first = "rank") {
  return fmt::format("{}{} {}", first, ranks.size() == 1 ? "" : "s", list_of(ranks));
}

const State* state_of(std::int64_t rank, const Diagnosis& diagnosis) {
  const auto found = std::ranges::find(diagnosis.states, rank, &State::rank);
  return found == diagnosis.states.end() ? nullptr : &*found;
}

std::string exchange_text(const std::string& name, std::uint64_t number) {
  return fmt::format("{} {}", printable(name), number);
}

/// Where the rank is instead.
std::string instead(const State& state) {
  return fmt::format("its last event is '{}', {:.1f} s before its recording was written; it is {}",
                     printable(state.last), state.seconds, printable(state.where));
}

}  // namespace

std::string wait_text(const Wait& wait) {
  const auto& message = wait.message;
  const std::string pair = fmt::format("subdomain {} -> {}{} ({})", message.from, message.to,
                                       message.towards.empty() ? "" : " towards " + printable(message.towards),
                                       printable(message.transport));
  const std::string in = exchange_text(wait.exchange, wait.number);
  if (!message.sends) return fmt::format("waits for {} from rank {}, {}", pair, wait.peer, in);
  if (message.by_host) return fmt::format("waits until rank {} takes {}, {}", wait.peer, pair, in);
  return fmt::format("waits until rank {} is ready for {}, {}", wait.peer, pair, in);
}

std::string state_text(const State& state) {
  std::string text = fmt::format("rank {}: {} for {:.1f} s; last event: {}", state.rank, printable(state.where),
                                 state.seconds, printable(state.last));
  if (!state.error.empty()) text += "; error: " + printable(state.error);
  if (!state.unread.empty()) text += "; flags of its devices were not read: " + printable(state.unread);
  return text;
}

std::string sentence(const Root& root, const Diagnosis& diagnosis) {
  const std::int64_t rank = root.ranks.front();
  const std::string exchange = exchange_text(root.exchange, root.number);
  const State* const state = state_of(rank, diagnosis);
  const std::string known = state == nullptr ? "" : instead(*state);
  const std::string error = state == nullptr ? "" : printable(state->error);
  switch (root.kind) {
    case RootKind::failed: return fmt::format("Rank {} failed in {}: {}.", rank, exchange, error);
    case RootKind::left: return fmt::format("Rank {} {}, after {}.", rank, error, exchange);
    case RootKind::no_recording:
      return fmt::format(
          "Rank {} wrote no recording: it was killed or stopped, or writes to another folder.{}", rank,
          root.exchange.empty() ? "" : fmt::format(" No other rank has seen it take part in {}.", exchange));
    case RootKind::not_started: return fmt::format("Rank {} has not started {}: {}.", rank, exchange, known);
    case RootKind::device_behind:
      return fmt::format(
          "Rank {} has enqueued {}, and its devices have not begun it: earlier work in their streams is not done; {}.",
          rank, exchange, known);
    case RootKind::not_finished:
      return fmt::format(
          "Rank {} has started {} and makes no progress with its messages by MPI, because it is not in finish(): {}.",
          rank, exchange, known);
    case RootKind::lost_message:
      return fmt::format("Rank {} waits for no other rank in {}, and a message of it has not arrived: {}.", rank,
                         exchange, known);
    case RootKind::cycle: return fmt::format("{} wait for each other in {}.", ranks_text(root.ranks, "Rank"), exchange);
    case RootKind::not_set_up: return fmt::format("Rank {} is behind in the set-up: {}.", rank, known);
    case RootKind::not_closed: return fmt::format("Rank {} has not called close(): {}.", rank, known);
    case RootKind::behind:
      return fmt::format("Rank {} has not finished {}, and no rank waits in it: {}.", rank, exchange, known);
  }
  throw InternalError("a RootKind without a sentence");
}

std::string report_text(const Diagnosis& diagnosis) {
  std::string text = fmt::format("domain {}: {}, {}\n", diagnosis.domain, plural(diagnosis.ranks, "rank"),
                                 plural(std::ssize(diagnosis.states), "recording"));
  if (diagnosis.roots.empty()) text += "No rank waits for another.\n";
  for (const Root& root : diagnosis.roots) {
    text += sentence(root, diagnosis) + "\n";
    if (!root.waiting.empty()) {
      text += fmt::format("{} wait{} for {}.\n", ranks_text(root.waiting, "Rank"), root.waiting.size() == 1 ? "s" : "",
                          root.ranks.size() == 1 ? "it" : "them");
    }
    for (std::size_t i = 0; i < std::min(root.waits.size(), most_waits); ++i) {
      text += fmt::format("  rank {} {}\n", root.waits[i].rank, wait_text(root.waits[i]));
    }
    if (root.waits.size() > most_waits) text += fmt::format("  and {} more waits\n", root.waits.size() - most_waits);
  }
  text += "Where the ranks were when their recordings were written:\n";
  for (std::size_t i = 0; i < std::min(diagnosis.states.size(), most_named); ++i) {
    text += "  " + state_text(diagnosis.states[i]) + "\n";
  }
  if (diagnosis.states.size() > most_named) {
    text += fmt::format("  and {} more ranks; --json has all\n", diagnosis.states.size() - most_named);
  }
  if (diagnosis.missing > 0) {
    text += fmt::format(
        "  without a recording: {}{}\n", ranks_text(diagnosis.without),
        diagnosis.missing > std::ssize(diagnosis.without) ? fmt::format(", {} in all", diagnosis.missing) : "");
  }
  return text;
}

Json json_of(const State& state) {
  return {{"rank", state.rank}, {"where", state.where}, {"own_code", state.own_code}, {"seconds", state.seconds},
          {"last", state.last}, {"error", state.error}, {"unread", state.unread}};
}

Json json_of(const Wait& wait) {
  return {{"rank", wait.rank},
          {"for_rank", wait.peer},
          {"exchange", wait.exchange},
          {"number", wait.number},
          {"from", wait.message.from},
          {"to", wait.message.to},
          {"towards", wait.message.towards},
          {"transport", wait.message.transport},
          {"sends", wait.message.sends}};
}

Json report_json(const Diagnosis& diagnosis) {
  Json json{{"domain", diagnosis.domain},
            {"ranks", diagnosis.ranks},
            {"recordings", diagnosis.states.size()},
            {"missing", diagnosis.missing},
            {"without", diagnosis.without}};
  for (const char* list : {"roots", "waits", "states"}) json[list] = Json::array();
  for (const Root& root : diagnosis.roots) {
    Json one{{"kind", to_string(root.kind)}, {"ranks", root.ranks},     {"exchange", root.exchange},
             {"number", root.number},        {"waiting", root.waiting}, {"text", sentence(root, diagnosis)}};
    json["roots"].push_back(std::move(one));
  }
  for (const Wait& wait : diagnosis.waits) json["waits"].push_back(json_of(wait));
  for (const State& state : diagnosis.states) json["states"].push_back(json_of(state));
  return json;
}

}  // namespace cli::postmortem
