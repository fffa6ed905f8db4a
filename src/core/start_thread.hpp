// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "halocline/error.hpp"

namespace halocline {

/// Starts a thread that runs body. Throws ResourceError with the purpose of the thread ("a worker of the host devices")
/// and the reason if it cannot be started.
template <typename Body>
[[nodiscard]] std::thread start_thread(const std::string& what, Body&& body) {
  try {
    return std::thread(std::forward<Body>(body));
  } catch (const std::system_error& error) {
    throw ResourceError("cannot start a thread, " + what + ": " + error.code().message() +
                        "; allowed is what the limits of processes and memory (ulimit -u, -v) leave room for");
  }
}

}  // namespace halocline
