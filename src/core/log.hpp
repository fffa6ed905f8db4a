// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "halocline/environment.hpp"

namespace halocline {

/// One line on standard error, "halocline: warning: ...", or a call of the user's sink, where the level is within HALOCLINE_LOG.
/// May be called from any thread and from destructors; never throws.
void log(LogLevel level, std::string_view message) noexcept;

/// The same at the normal end of the process, each message once: for what follows from an error that the program has not
/// printed yet.
void log_at_exit(LogLevel level, std::string_view message) noexcept;

}  // namespace halocline
