// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace halocline::comm {

/// The collective call in which the calling thread is while this exists: "realize()". Calls nest: errors of waits for other ranks name the
/// outermost, and agree() compares the innermost.
class Phase {
 public:
  /// call: lives as long as this.
  explicit Phase(std::string_view call);
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
  ~Phase();
  /// The calling thread's; empty if there is none.
  [[nodiscard]] static std::string_view outermost();
  [[nodiscard]] static std::string_view innermost();

 private:
  std::string_view outermost_before_;
  std::string_view innermost_before_;
};

}  // namespace halocline::comm
