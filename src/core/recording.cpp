// SPDX-License-Identifier: BSD-3-Clause
#include "core/recording.hpp"

namespace halocline {

std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::planning: return "planning";
    case EventKind::allocating: return "allocating";
    case EventKind::connecting: return "connecting";
    case EventKind::realized: return "realized";
    case EventKind::started: return "started";
    case EventKind::enqueued: return "enqueued";
    case EventKind::waiting: return "waiting";
    case EventKind::done: return "done";
    case EventKind::finished: return "finished";
    case EventKind::synchronizing: return "synchronizing";
    case EventKind::synchronized: return "synchronized";
    case EventKind::failed: return "failed";
    case EventKind::aborted: return "aborted";
    case EventKind::left: return "left";
    case EventKind::closing: return "closing";
    case EventKind::closed: return "closed";
  }
  throw InternalError("an EventKind without a name");
}

std::string_view to_string(RecordingCause cause) {
  switch (cause) {
    case RecordingCause::error: return "error";
    case RecordingCause::other_rank: return "other_rank";
    case RecordingCause::request: return "request";
  }
  throw InternalError("a RecordingCause without a name");
}

}  // namespace halocline
