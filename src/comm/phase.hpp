// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace halocline::comm {

/// What the calling thread does while this exists, for errors of its waits for other ranks: "realize()". One within another changes
/// nothing.
class Phase {
 public:
  /// call: of static storage.
  explicit Phase(std::string_view call);
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
  ~Phase();
  /// The calling thread's; empty if there is none.
  [[nodiscard]] static std::string_view current();

 private:
  bool outermost_;
};

}  // namespace halocline::comm
