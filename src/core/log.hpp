// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "halocline/environment.hpp"

namespace halocline {

/// Writes one line to standard error, "halocline: warning: ...", or calls the user's sink, if HALOCLINE_LOG includes
/// the level. May be called from any thread and from destructors; never throws.
void log(LogLevel level, std::string_view message) noexcept;

/// The same, but at the normal end of the process, and each message once: for consequences of an error that the program
/// has not printed yet.
void log_at_exit(LogLevel level, std::string_view message) noexcept;

}  // namespace halocline
