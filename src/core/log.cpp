// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/printable.hpp"

namespace halocline {
namespace {

constexpr const char* names[] = {"error", "warning", "info", "debug"};

/// Read once; an unknown word means warning, because a log must never fail (Environment::read reports it).
LogLevel threshold() {
  static const LogLevel level = [] {
    const char* text = std::getenv("HALOCLINE_LOG");
    for (int i = 0; text != nullptr && i < 4; ++i) {
      if (std::string_view(text) == names[i]) return static_cast<LogLevel>(i);
    }
    return LogLevel::warning;
  }();
  return level;
}

/// What is to be logged at the end of the process. Never destroyed, as it is used until then.
struct Notes {
  struct Note {
    LogLevel level;
    std::string message;
  };
  std::mutex mutex;
  std::vector<Note> notes;

  static Notes& all() {
    static auto* const notes = [] {
      auto made =
          std::make_unique<Notes>();  // in front of atexit, whose function must not be the first that needs memory
      std::atexit([] { all().print(); });
      return made.release();
    }();
    return *notes;
  }
  void print() noexcept {
    const std::lock_guard lock(mutex);
    for (const Note& note : notes) log(note.level, note.message);
    notes.clear();
  }
};

/// The user's sink, or null. The objects here are never destroyed, because messages are logged until the end of the
/// process, and using them needs no memory.
constinit std::mutex sink_mutex;
constinit const LogSink* sink = nullptr;

/// Passes a message to the user's sink. Returns whether there is one.
bool taken(LogLevel level, std::string_view message) noexcept {
  try {
    const std::lock_guard lock(sink_mutex);
    if (sink == nullptr) return false;
    (*sink)(level, message);
  } catch (...) {  // dropped: a log must never fail
  }
  return true;
}

}  // namespace

std::string_view to_string(LogLevel level) { return names[static_cast<int>(level)]; }

void set_log_sink(LogSink next) {
  auto made = next ? std::make_unique<const LogSink>(std::move(next)) : nullptr;
  const std::lock_guard lock(sink_mutex);
  made.reset(std::exchange(sink, made.release()));
}

void log(LogLevel level, std::string_view message) noexcept {
  if (level > threshold() || taken(level, message)) return;
  try {
    std::string line = "halocline: ";
    line.append(names[static_cast<int>(level)]).append(": ").append(printable(message)).append("\n");
    // One write, so that lines of several ranks do not mix.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  } catch (...) {
    constexpr std::string_view text = ": (no memory for the message)\n";
    const std::string_view name = names[static_cast<int>(level)];
    std::array<char, 64> line{};
    const std::string_view parts[] = {"halocline: ", name, text};
    std::size_t size = 0;
    for (const std::string_view part : parts) size += part.copy(line.data() + size, line.size() - size);
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), size);
  }
}

void log_at_exit(LogLevel level, std::string_view message) noexcept {
  if (level > threshold()) return;
  try {
    Notes& all = Notes::all();
    const std::lock_guard lock(all.mutex);
    if (std::ranges::find(all.notes, message, &Notes::Note::message) == all.notes.end()) {
      all.notes.push_back({level, std::string(message)});
    }
  } catch (...) {  // as above
  }
}

}  // namespace halocline
