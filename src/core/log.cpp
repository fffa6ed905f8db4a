#include "halocline/core/log.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>

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

}  // namespace

void log(LogLevel level, std::string_view message) noexcept {
  if (level > threshold()) return;
  try {
    std::string line = "halocline: ";
    line.append(names[static_cast<int>(level)]).append(": ").append(message).append("\n");
    // One write, so that lines of several ranks do not mix.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  } catch (...) {  // out of memory while reporting: there is nobody left to tell
  }
}

}  // namespace halocline
