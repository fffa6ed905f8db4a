// SPDX-License-Identifier: BSD-3-Clause
#include "postmortem/state.hpp"

#include <fmt/core.h>

#include <chrono>

#include "halocline/error.hpp"

namespace cli::postmortem {
namespace {

using namespace halocline;

int phase_of(EventKind kind) {
  switch (kind) {
    case EventKind::planning: return 0;
    case EventKind::allocating: return 1;
    case EventKind::connecting: return 2;
    case EventKind::closing: return 4;
    case EventKind::closed: return 5;
    default: return 3;
  }
}

std::string event_text(const Recording& recording, const RecordedEvent& event) {
  const std::string exchange = fmt::format("{} {}", exchange_name(recording, event.exchange), event.number);
  switch (event.kind) {
    case EventKind::planning: return "set-up: planning";
    case EventKind::allocating: return "set-up: allocating";
    case EventKind::connecting: return "set-up: connecting";
    case EventKind::realized: return "set-up done";
    case EventKind::started: return exchange + " started";
    case EventKind::enqueued: return exchange + " enqueued";
    case EventKind::waiting: return exchange + ": finish() called";
    case EventKind::done: return exchange + ": message done";
    case EventKind::finished: return exchange + " finished";
    case EventKind::synchronizing: return "synchronize() called";
    case EventKind::synchronized: return "synchronize() done";
    case EventKind::failed: return exchange + " failed";
    case EventKind::aborted: return exchange + " aborted";
    case EventKind::left: return "domain abandoned";
    case EventKind::closing: return "close() called";
    case EventKind::closed: return "close() done";
  }
  throw InternalError("an EventKind without a text");
}

}  // namespace

std::optional<RecordedEvent> last_place(const Recording& recording) {
  for (auto event = recording.events.rbegin(); event != recording.events.rend(); ++event) {
    switch (event->kind) {
      case EventKind::done:
      case EventKind::failed:
      case EventKind::aborted:
      case EventKind::left: continue;
      default: return *event;
    }
  }
  return std::nullopt;
}

std::string exchange_name(const Recording& recording, std::uint8_t exchange) {
  if (exchange < recording.exchanges.size() && !recording.exchanges[exchange].name.empty()) {
    return recording.exchanges[exchange].name;
  }
  return "exchange";
}

int phase_of(const Recording& recording) {
  const auto place = last_place(recording);
  return place ? phase_of(place->kind) : 0;
}

State state_of(const Recording& recording) {
  State state{.rank = recording.rank, .where = "before its first event", .last = "none", .error = recording.error};
  for (const RecordedExchange& exchange : recording.exchanges) {
    if (state.unread.empty()) state.unread = exchange.unread;
  }
  const auto event = last_place(recording);
  if (!event) return state;
  state.last = event_text(recording, *event);
  using Seconds = std::chrono::duration<double>;  // times of a damaged file may be far apart
  state.seconds = (Seconds(recording.time) - Seconds(event->time)).count();
  const std::string exchange = fmt::format("{} {}", exchange_name(recording, event->exchange), event->number);
  switch (event->kind) {
    case EventKind::started: state.where = "in the start of " + exchange; break;
    case EventKind::waiting: state.where = "in finish() of " + exchange; break;
    case EventKind::synchronizing: state.where = "in synchronize()"; break;
    case EventKind::planning:
    case EventKind::allocating:
    case EventKind::connecting: state.where = "in the set-up: " + std::string(to_string(event->kind)); break;
    case EventKind::closing: state.where = "in close()"; break;
    case EventKind::enqueued:
      state.where = "in the program's own code, with " + exchange + " under way";
      state.own_code = true;
      break;
    default: state.where = "in the program's own code"; state.own_code = true;
  }
  return state;
}

}  // namespace cli::postmortem
